/** The only import of the generated packages. */
import initClinic, * as clinic from '../pkg/clinic/clinic.js';

export type { Clinic, Encounter } from '../pkg/clinic/clinic.js';

export type ClinicPackage = typeof clinic;

/** Loads the package once; later calls share the first. */
export function loadClinic(): Promise<ClinicPackage> {
  loading ??= initClinic().then(() => clinic);
  return loading;
}

let loading: Promise<ClinicPackage> | undefined;

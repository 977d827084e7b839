/** The only import of the generated packages. */
import initClinic, * as clinic from '../pkg/clinic/clinic.js';

export type Clinic = typeof clinic;

/** Loads the clinic once; later calls share the first. */
export function loadClinic(): Promise<Clinic> {
  loading ??= initClinic().then(() => clinic);
  return loading;
}

let loading: Promise<Clinic> | undefined;

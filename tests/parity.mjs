// The same clinic in WebAssembly: the digest of whole episodes in Node, compared with the native goldens, and its speed.
//   node tests/parity.mjs --scenarios 2000 --seed 1   prints the digest last, as `workup digest` does
//   node tests/parity.mjs --golden                    compares every digest of tests/golden/parity.json
//   node tests/parity.mjs --bench                     text turns/s and structured steps/s, median of 5
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    scenarios: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    golden: { type: 'boolean', default: false },
    bench: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const clinic = await loadClinic();
if (options.golden) await compareGoldens();
else if (options.bench) bench();
else printDigest();

/** Loads the built package; Node has no fetch for files, so the bytes are handed over. */
async function loadClinic() {
  const folder = new URL('../web/pkg/clinic/', import.meta.url);
  const bytes = await readFile(new URL('clinic_bg.wasm', folder)).catch(() => {
    console.error('web/pkg/clinic holds no package; build it: cargo xtask wasm --only clinic');
    process.exit(2);
  });
  const clinic = await import(new URL('clinic.js', folder).href);
  clinic.initSync({ module: bytes });
  return clinic;
}

/** A decimal or 16-digit hexadecimal seed as the 16 digits that cross. */
function seedOf(text) {
  return /^[0-9a-f]{16}$/.test(text) ? text : BigInt(text).toString(16).padStart(16, '0');
}

function printDigest() {
  const digest = clinic.episodesDigest(Number(options.scenarios), seedOf(options.seed));
  console.log(`${options.scenarios} scenarios, seed ${seedOf(options.seed)}, wasm in Node ${process.version}`);
  console.log(digest);
}

async function compareGoldens() {
  const file = new URL('golden/parity.json', import.meta.url);
  const { episodes } = JSON.parse(await readFile(file, 'utf8'));
  let failed = 0;
  for (const { scenarios, seed, digest } of episodes) {
    const here = clinic.episodesDigest(scenarios, seed);
    const same = here === digest;
    if (!same) failed += 1;
    console.log(`${same ? 'ok     ' : 'FAILED '} ${scenarios} scenarios of seed ${seed}: ${here}${same ? '' : `, native ${digest}`}`);
  }
  console.log(`${episodes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && episodes.length > 0 ? 0 : 1;
}

function bench() {
  const workload = new clinic.Workload(200, seedOf(options.seed));
  const results = {
    text_turns_per_s: median(5, () => workload.runText()),
    structured_steps_per_s: median(5, () => workload.runStructured()),
    belief_steps_per_s: median(5, () => workload.runBelief()),
  };
  if (options.json) console.log(JSON.stringify(results));
  else for (const [name, value] of Object.entries(results)) console.log(`${name.padEnd(24)} ${Math.round(value).toLocaleString('en-US')}`);
}

/** The median rate of `runs` runs, each at least half a second long. */
function median(runs, work) {
  work();
  const rates = Array.from({ length: runs }, () => {
    const start = performance.now();
    let done = 0;
    while (performance.now() - start < 500) done += work();
    return (done / (performance.now() - start)) * 1000;
  });
  return rates.sort((a, b) => a - b)[runs >> 1];
}

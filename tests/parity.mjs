// The same clinic in WebAssembly: the digest of whole episodes in Node, compared with the native goldens, and its speed.
//   node tests/parity.mjs --scenarios 2000 --seed 1   prints the digest last, as `workup digest` does
//   node tests/parity.mjs --golden                    compares every digest of tests/golden/parity.json, and checks what crosses
//   node tests/parity.mjs --bench                     text turns/s and structured steps/s, median of 5
import assert from 'node:assert/strict';
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

const SETTINGS = {
  seed: '0000000000000007',
  noisePlan: 'keyed',
  patientNoise: 0.3,
  examNoise: 0.1,
  personality: null,
  proficiency: null,
  recall: null,
  rewardMode: 'clinic',
  payer: 'medicare',
  prevalence: 'uniform',
  maxDoctorTurns: 20,
  maxPatientTurns: 15,
};

/** What the page relies on beside the digests: every error has a code, nothing of the referee shows before the end. */
const BINDINGS = {
  'errors carry their kind'() {
    const open = new clinic.Clinic();
    const code = (action) => {
      try {
        action();
      } catch (error) {
        assert.ok(error instanceof Error && error.message.length > 0);
        return error.code;
      }
      return undefined;
    };
    assert.equal(code(() => open.open('AQAAAAAAAAAA')), 'wrong_checksum');
    assert.equal(code(() => open.open('*')), 'bad_code');
    assert.equal(code(() => open.open('AAAA')), 'unknown_version');
    assert.equal(code(() => open.open('A'.repeat(600_000))), 'too_long');
    assert.equal(code(() => open.start({ ...SETTINGS, seed: '7' }, null)), 'bad_seed');
    assert.equal(code(() => open.start({ ...SETTINGS, maxDoctorTurns: 0 }, null)), 'bad_scenario');
    assert.equal(code(() => open.start({ ...SETTINGS, examNoise: 1.5 }, null)), 'bad_scenario');
    assert.equal(code(() => open.start({ ...SETTINGS, payer: 'barter' }, null)), 'bad_argument');
    assert.equal(code(() => open.start(SETTINGS, { diagnosis: 1 })), 'bad_argument');
    assert.equal(code(() => open.price('ct', [['region', 'moon']])), 'invalid_call');
    assert.equal(code(() => clinic.episodesDigest(1, 'zz')), 'bad_seed');
  },

  'an encounter, its fork and its code agree'() {
    const open = new clinic.Clinic();
    const encounter = open.start(SETTINGS, null);
    encounter.send('What brings you in?');
    assert.equal(encounter.debrief(), null);
    encounter.order('ecg', [['type', 'rhythm_strip']]);
    const { dollars, exams, ended } = encounter.tally();
    assert.ok(dollars > 0 && exams === 1 && !ended);
    encounter.diagnose('Asthma exacerbation');
    const debrief = encounter.debrief();
    const { total, diagnosis, toolMatch, examCost, turnCost, penalty } = debrief.reward;
    assert.ok(Math.abs(diagnosis + toolMatch - examCost - turnCost - penalty - total) < 1e-12);
    assert.equal(debrief.turns.length, 3);
    assert.equal(encounter.send('Hello?'), null);
    const { start, turns } = encounter.differential();
    for (const diseases of [start, ...turns.map((turn) => turn.diseases)]) {
      assert.ok(Math.abs(diseases.reduce((a, b) => a + b, 0) - 1) < 1e-9);
    }
    assert.equal(open.open(encounter.code()).digest(), encounter.digest());
    const fork = encounter.forkAt(2);
    fork.diagnose('Asthma exacerbation');
    assert.equal(fork.digest(), encounter.digest());
    assert.deepEqual(fork.opening().settings, SETTINGS);
  },

  'fresh seeds are fresh'() {
    assert.match(clinic.freshSeed(), /^[0-9a-f]{16}$/);
    assert.notEqual(clinic.freshSeed(), clinic.freshSeed());
  },
};

async function compareGoldens() {
  const file = new URL('golden/parity.json', import.meta.url);
  const { episodes } = JSON.parse(await readFile(file, 'utf8'));
  const compare = ({ scenarios, seed, digest }) => [
    `${scenarios} scenarios of seed ${seed} give the native digest`,
    () => assert.equal(clinic.episodesDigest(scenarios, seed), digest),
  ];
  const checks = [...episodes.map(compare), ...Object.entries(BINDINGS)];
  let failed = 0;
  for (const [name, check] of checks) {
    try {
      check();
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
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

if (options.golden) await compareGoldens();
else if (options.bench) bench();
else printDigest();

// The page in a real Chromium: what a person can do, in the words of the screen. Run: `cargo xtask test --only wasm,web,page`.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { launchChromium, openTab, servePage } from './page.mjs';

const CASE = '?seed=0000000000000007&v=1';
const OSCE = {
  OSCE_Examination: {
    Objective_for_Doctor: 'Assess and diagnose the patient with a cough.',
    Patient_Actor: {
      Demographics: '40-year-old man',
      History: 'The patient has had a dry cough for two days.',
      Symptoms: { Primary_Symptom: 'Cough', Secondary_Symptoms: ['Sore throat'] },
      Past_Medical_History: 'Asthma as a child.',
      Social_History: 'Smokes ten cigarettes a day.',
      Review_of_Systems: 'Denies chest pain.',
    },
    Physical_Examination_Findings: { Vital_Signs: { Temperature: '37.1 C' } },
    Test_Results: { Chest_X_Ray: { Findings: 'Clear lungs.' } },
    Correct_Diagnosis: 'Viral bronchitis',
  },
};

/** Waits until an encounter is open and the page is not busy. */
async function ready(page) {
  await page.locator('form:has(#question)[aria-busy="false"], section[aria-label="Debrief"]').first().waitFor();
}

/** The page as a doctor uses it. */
function doctor(page) {
  const question = page.getByLabel('Ask the patient');
  const turn = (number) => page.getByRole('article', { name: `Turn ${number}`, exact: true });
  return {
    question,
    turn,
    async ask(number, text) {
      await ready(page);
      await question.fill(text);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await turn(number).getByText(text, { exact: true }).waitFor();
    },
    async order(number, search, label) {
      await page.getByLabel('Search exams').fill(search);
      await page.getByRole('button', { name: label }).first().click();
      await page.getByRole('button', { name: /^Order / }).click();
      await turn(number).getByText(/Order:/).waitFor();
    },
    async diagnose(text) {
      await page.getByRole('combobox', { name: 'Diagnosis' }).fill(text);
      await page.getByRole('button', { name: 'Commit' }).click();
      await page.getByRole('region', { name: 'Debrief' }).waitFor();
    },
    async link() {
      await page.getByRole('button', { name: 'Copy link' }).first().click();
      const link = await page.getByTestId('link').inputValue();
      await page.getByRole('button', { name: 'Close' }).click();
      return link;
    },
    digest: () => page.getByTestId('digest').textContent(),
  };
}

const checks = {
  async 'the page opens, names itself and says what it is not'({ page }) {
    await page.getByRole('heading', { name: 'Workup' }).waitFor();
    await page.getByLabel('Ask the patient').waitFor();
    await page.getByText('Not medical advice, not a medical device').waitFor();
    assert.match(page.url(), /seed=[0-9a-f]{16}/);
  },

  async 'an encounter is asked, ordered, diagnosed and debriefed, and its link replays to the same digest'({ page, browser, go }) {
    await go(CASE);
    const { ask, order, diagnose, digest, link, turn } = doctor(page);
    await ask(1, 'What brings you in today?');
    await ask(2, 'When did it start?');
    await order(3, 'troponin', /Cardiac marker/);
    assert.equal(await page.getByTestId('cost').textContent(), '$12.47');
    await turn(3).getByText(/ng\/L/).waitFor();
    assert.equal(await page.getByText('Exact differential').count(), 1);
    assert.equal(await page.getByText(/Probability among the/).count(), 0, 'hidden until committed');
    await diagnose('Asthma exacerbation');
    await page.getByRole('heading', { name: 'Right' }).waitFor();
    await page.getByText(/Probability among the 24 conditions of this simulator/).waitFor();
    await page.getByRole('heading', { name: 'What was noisy' }).waitFor();
    const parts = await page.getByRole('region', { name: 'Reward' }).locator('tbody td').allTextContents();
    const number = (text) => Number(text.replace('−', '-').replace('+', ''));
    const total = number(await page.getByTestId('reward').textContent());
    assert.ok(Math.abs(parts.map(number).reduce((a, b) => a + b, 0) - total) < 0.0021, `${parts} make ${total}`);
    const other = await openTab(browser, await link());
    await other.page.getByRole('region', { name: 'Debrief' }).waitFor();
    assert.equal(await doctor(other.page).digest(), await digest());
    assert.deepEqual(other.problems, []);
    await other.close();
  },

  async 'the differential shows while playing when the learner asks for it'({ page, go }) {
    await go(CASE);
    const { ask } = doctor(page);
    await page.getByLabel('Show while I play').check();
    await page.getByText(/Probability among the 24 conditions/).waitFor();
    await page.getByText(/not a pre-test probability/).waitFor();
    await ask(1, 'What brings you in today?');
    await page.getByText(/Last turn:/).waitFor();
  },

  async 'noisy words stand beside the clean ones'({ page, go }) {
    await go(`${CASE}&patient-noise=1&exam-noise=1&personality=plain`);
    const { ask, order, diagnose } = doctor(page);
    await ask(1, 'Do you have a fever?');
    await ask(2, 'When did it start?');
    await order(3, 'ecg', /^ECG/);
    await diagnose('Panic attack');
    const noisy = page.getByRole('region', { name: 'What was noisy' });
    assert.equal(await noisy.getByText('As you heard it').count(), 3);
    assert.equal(await noisy.getByText('Without noise').count(), 3);
  },

  async 'a fork goes back to any turn, also after the end'({ page, go }) {
    await go(CASE);
    const { ask, diagnose, turn, link } = doctor(page);
    await ask(1, 'What brings you in today?');
    await ask(2, 'Anything else?');
    await diagnose('Influenza');
    const ended = await link();
    await page.getByRole('button', { name: 'Fork after turn 1' }).click();
    await page.getByText(/You are back at just after turn 1/).waitFor();
    await turn(2).waitFor({ state: 'detached' });
    await ask(2, 'Anything else?');
    await diagnose('Influenza');
    assert.equal(await link(), ended, 'the same actions are the same encounter');
  },

  async 'a diagnosis is found by synonym and with the keyboard alone'({ page, go }) {
    await go(CASE);
    await page.getByRole('combobox', { name: 'Diagnosis' }).focus();
    await page.keyboard.type('flu');
    await page.getByRole('option', { name: /Influenza/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('combobox', { name: 'Diagnosis' }).inputValue(), 'Influenza');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Debrief' }).waitFor();
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.match(focused ?? '', /Right|Not this time/, 'the news has the focus');
  },

  async 'the question box is reached and used without a pointer'({ page, go }) {
    await go(CASE);
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.id === 'question')) break;
    }
    await page.keyboard.type('Do you have a fever?');
    await page.keyboard.press('Enter');
    await doctor(page).turn(1).getByText('understood as: Fever').waitFor();
  },

  async 'the skip link moves the focus and keeps the encounter'({ page, go }) {
    await go(CASE);
    const { ask, turn } = doctor(page);
    await ask(1, 'What brings you in today?');
    const skip = page.getByRole('link', { name: 'Skip to the question box' });
    await skip.focus();
    await skip.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'question');
    await ask(2, 'Anything else?');
    await turn(1).waitFor();
    assert.match(page.url(), /v=1$/);
  },

  async 'a diagnosis is judged while it is typed as it will be when it is given'({ page, go }) {
    await go(CASE);
    const box = page.getByRole('combobox', { name: 'Diagnosis' });
    const note = page.locator('#diagnosis-note');
    const says = async (text, words) => {
      await box.fill(text);
      await box.blur();
      await note.getByText(words).waitFor();
    };
    await says('dragon pox', /goes by “dragon pox”/);
    await says('suspected pulmonary embolism', /Ends the encounter/);
    await says('Influenza, dragon pox', /goes by “dragon pox”/);
    await says('Influenza, Migraine', /Ends the encounter/);
  },

  async 'a chosen trait leaves the others to the seed'({ page, go }) {
    await go(`${CASE}&personality=plain`);
    await doctor(page).ask(1, 'What brings you in today?');
    await page.reload();
    await doctor(page).turn(1).waitFor();
    await page.getByRole('button', { name: 'New case' }).click();
    await doctor(page).turn(1).waitFor({ state: 'detached' });
    const query = new URL(page.url()).searchParams;
    assert.deepEqual(['personality', 'proficiency', 'recall'].map((trait) => query.get(trait)), ['plain', null, null]);
  },

  async 'the package starts a case from a seed alone'({ page, address }) {
    const { settings, reply, code } = await page.evaluate(async (glue) => {
      const { default: init, Clinic } = await import(glue);
      await init();
      const encounter = new Clinic().start({ seed: '0000000000000007' });
      const error = await Promise.resolve().then(() => new Clinic().start({})).catch((error) => error);
      return { settings: encounter.opening().settings, reply: encounter.send('Do you have a fever?').reply, code: error.code };
    }, `${address}pkg/clinic/clinic.js`);
    assert.deepEqual([settings.patientNoise, settings.maxDoctorTurns, settings.rewardMode], [0.3, 20, 'clinic']);
    assert.ok(reply.length > 0);
    assert.equal(code, 'bad_seed');
  },

  async 'an imported case warns, plays and travels in its link'({ page, browser, go }) {
    await go(CASE);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('Do not enter real patient data.').waitFor();
    const rows = [JSON.stringify(OSCE), '{"broken": true}', JSON.stringify(OSCE)].join('\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'cases.jsonl', mimeType: 'application/json', buffer: Buffer.from(rows) });
    await page.getByText('2 of 3 cases read').waitFor();
    await page.getByText('1 could not be read').waitFor();
    await page.getByRole('button', { name: /40-year-old man/ }).first().click();
    const { ask, order, diagnose, digest, turn } = doctor(page);
    await ask(1, 'Do you smoke?');
    await turn(1).getByText(/ten cigarettes/).waitFor();
    await order(2, 'chest x-ray', /^X-ray/);
    await turn(2).getByText(/Clear lungs/).waitFor();
    await page.getByText(/no exact differential/).waitFor();
    await diagnose('viral bronchitis');
    await page.getByRole('heading', { name: 'Right' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).first().click();
    await page.getByText('This link contains the whole case text; anyone with it can read it.').waitFor();
    const link = await page.getByTestId('link').inputValue();
    const other = await openTab(browser, link);
    await other.page.getByRole('region', { name: 'Debrief' }).waitFor();
    assert.equal(await doctor(other.page).digest(), await digest());
    await other.close();
  },

  async 'a link of another engine offers the same seed in the clinic of today'({ page, go }) {
    await go(CASE);
    const { ask, link, turn } = doctor(page);
    await ask(1, 'What brings you in today?');
    const foreign = withEngine(await link(), 0xfffe);
    await page.evaluate(() => sessionStorage.clear());
    await go(foreign);
    await page.getByText(/engine_mismatch/).waitFor();
    await page.getByRole('button', { name: 'Same seed in today’s clinic' }).click();
    await page.getByText('Case 0000000000000007').waitFor();
    await turn(1).waitFor({ state: 'detached' });
  },

  async 'a damaged link says so and the clinic opens all the same'({ page, go }) {
    await go('?v=1#c=AAAA');
    await page.getByText(/This link cannot be replayed here/).waitFor();
    await page.getByLabel('Ask the patient').waitFor();
  },

  async 'a reload keeps the encounter, and settings begin another'({ page, go }) {
    await go(CASE);
    const { ask, turn } = doctor(page);
    await ask(1, 'What brings you in today?');
    await page.reload();
    await turn(1).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: /^Seed/ }).fill('2a');
    await page.getByLabel('Manner').selectOption('impatient');
    await page.getByLabel('Prices').selectOption('cash');
    await page.getByRole('button', { name: 'Start with these settings' }).click();
    await page.getByText(/Speaks as: impatient/).waitFor();
    await page.getByText(/At cash prices/).waitFor();
    assert.match(page.url(), /seed=000000000000002a.*personality=impatient.*payer=cash/);
  },

  async 'nothing sticks out on a narrow screen, in light and dark'({ page, go }) {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => sessionStorage.clear());
      await go(CASE);
      const fits = async (what) => {
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${what}, ${colorScheme}: ${width} px wide`);
      };
      const pane = (name) => page.getByRole('navigation').getByRole('button', { name }).click();
      const { ask, order, diagnose } = doctor(page);
      await ask(1, 'What brings you in today?');
      await fits('talk');
      await pane('Exams');
      await order(2, 'blood count', /Complete blood count/);
      await fits('report');
      await pane('Exams');
      await fits('exams');
      await pane('Diagnose');
      await page.getByLabel('Show while I play').check();
      await fits('diagnose');
      await diagnose('Pneumonia');
      await fits('debrief');
      await page.getByRole('button', { name: 'Settings' }).click();
      await fits('settings');
    }
  },

  async 'the clinic in Chromium gives the native goldens'({ page, address }) {
    const { episodes } = JSON.parse(await readFile(new URL('golden/parity.json', import.meta.url), 'utf8'));
    for (const { scenarios, seed, digest } of episodes) {
      const here = await page.evaluate(
        async ([glue, scenarios, seed]) => {
          const clinic = await import(glue);
          await clinic.default();
          return clinic.episodesDigest(scenarios, seed);
        },
        [`${address}pkg/clinic/clinic.js`, scenarios, seed],
      );
      assert.equal(here, digest, `${scenarios} scenarios of seed ${seed}`);
    }
  },

  async 'the agent plays where there is one, and the page explains where there is none'({ page, problems, go }) {
    await go(CASE);
    const dist = (name) => existsSync(fileURLToPath(new URL(`../web/dist/${name}`, import.meta.url)));
    await page.getByRole('button', { name: 'Load the agent' }).click();
    if (dist('agent/agent.js') && dist('checkpoint/config.json')) {
      await page.getByRole('button', { name: 'Take the next turn' }).click();
      await doctor(page).turn(1).waitFor();
      await page.getByRole('button', { name: 'Play to the end' }).click();
      await page.getByRole('region', { name: 'Debrief' }).waitFor();
    } else {
      await page.getByText(/No trained agent lies beside this page|The network’s package|The network's package/).waitFor();
    }
    // Looking for a checkpoint that is not there is no fault of the page.
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('404')));
  },
};

/** The link with another engine version and a right checksum. */
function withEngine(link, version) {
  const [start, code] = link.split('#c=');
  const bytes = Buffer.from(code, 'base64url');
  bytes.writeUInt16LE(version, 1);
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(0, -4)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  bytes.writeUInt32LE(Number(BigInt.asUintN(32, hash ^ (hash >> 32n))), bytes.length - 4);
  return `${start}#c=${bytes.toString('base64url')}`;
}

const wanted = process.argv[2] ?? '';
const server = await servePage();
const browser = await launchChromium();
let passed = 0;
let failed = 0;
for (const [name, check] of Object.entries(checks).filter(([name]) => name.includes(wanted))) {
  const tab = await openTab(browser, server.address);
  tab.page.setDefaultTimeout(30_000);
  // A new document each time, also where only the part after `#` differs.
  const go = async (place) => {
    await tab.page.goto('about:blank');
    await tab.page.goto(new URL(place, server.address).href);
    await ready(tab.page);
  };
  try {
    await check({ ...tab, browser, address: server.address, go });
    assert.deepEqual(tab.problems, [], 'the console stays free of errors');
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
  await tab.close();
}
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

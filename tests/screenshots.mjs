// Pictures of the page, wide and narrow, light and dark: `node tests/screenshots.mjs FOLDER` (or `cargo xtask screenshots`).
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { launchChromium, openTab, servePage } from './page.mjs';

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };
const CASE = '?seed=0000000000000007&v=1';
const QUESTIONS = ['What brings you in today?', 'Anything else?', 'When did it start?', 'Do you have a fever?'];

const folder = process.argv[2] ?? 'screenshots';
await mkdir(folder, { recursive: true });
const server = await servePage();
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    const tab = await openTab(browser, server.address + CASE, { viewport, colorScheme });
    await picturesOf(tab.page, `${size}-${colorScheme}`, size === 'narrow');
    await tab.close();
  }
}
await browser.close();
server.close();
console.log(`pictures in ${folder}`);

/** One encounter from the first word to the debrief, with a picture of everything a person meets on the way. */
async function picturesOf(page, name, isNarrow) {
  const shot = (what, options = {}) => page.screenshot({ path: join(folder, `${what}-${name}.png`), ...options });
  const pane = async (label) => isNarrow && page.getByRole('navigation').getByRole('button', { name: label }).click();
  await page.getByLabel('Ask the patient').waitFor();
  await shot('start');
  for (const question of QUESTIONS) {
    await page.getByLabel('Ask the patient').fill(question);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText(question, { exact: true }).waitFor();
  }
  await pane('Exams');
  await page.getByLabel('Search exams').fill('troponin');
  await page.getByRole('button', { name: /Cardiac marker/ }).first().click();
  await page.getByText(/no discomfort|some discomfort/).first().waitFor();
  await shot('exams');
  await page.getByRole('button', { name: 'Order Cardiac marker' }).click();
  await page.getByText('Report', { exact: true }).first().waitFor();
  await pane('Exams');
  await page.getByLabel('Search exams').fill('ecg');
  await page.getByRole('button', { name: /^ECG/ }).first().click();
  await page.getByRole('button', { name: 'Order ECG' }).click();
  await page.getByText('Report', { exact: true }).nth(1).waitFor();
  await shot('middle');
  await pane('Diagnose');
  await page.getByLabel('Show while I play').check();
  await page.getByRole('combobox', { name: 'Diagnosis' }).fill('peri');
  await shot('diagnose');
  await page.getByRole('combobox', { name: 'Diagnosis' }).fill('Pericarditis');
  await page.getByRole('button', { name: 'Commit' }).click();
  await page.getByRole('region', { name: 'Debrief' }).waitFor();
  await shot('debrief', { fullPage: true });
  await page.getByRole('button', { name: 'Settings' }).click();
  await shot('settings');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Import' }).click();
  await shot('import');
}

// The page in a real Chromium: what a person can do, in the words of the screen. Run: `cargo xtask test --only wasm,web,page`.
import assert from 'node:assert/strict';

import { launchChromium, openTab, servePage } from './page.mjs';

const checks = {
  async 'the page opens and names itself'({ page }) {
    await page.getByRole('heading', { name: 'Workup' }).waitFor();
  },
};

const wanted = process.argv[2] ?? '';
const server = await servePage();
const browser = await launchChromium();
let passed = 0;
let failed = 0;
for (const [name, check] of Object.entries(checks).filter(([name]) => name.includes(wanted))) {
  const tab = await openTab(browser, server.address);
  tab.page.setDefaultTimeout(20_000);
  try {
    await check({ ...tab, browser, address: server.address });
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

// Pictures of the page, wide and narrow, light and dark: `node tests/screenshots.mjs FOLDER` (or `cargo xtask screenshots`).
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { launchChromium, openTab, servePage } from './page.mjs';

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };
const folder = process.argv[2] ?? 'screenshots';
await mkdir(folder, { recursive: true });
const server = await servePage();
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openTab(browser, server.address, { viewport, colorScheme });
    await page.getByRole('heading', { name: 'Workup' }).waitFor();
    await page.screenshot({ path: join(folder, `start-${size}-${colorScheme}.png`) });
    await close();
  }
}
await browser.close();
server.close();
console.log(`pictures in ${folder}`);

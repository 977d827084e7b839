// What the page test and the screenshots share: the built page on loopback, and a Chromium that opens it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../web/', import.meta.url));
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Serves web/dist, and web/pkg under `/pkg/`, on a free port of loopback; returns its address and how to stop it. */
export async function servePage() {
  const dist = join(web, 'dist');
  const roots = [dist, join(web, 'pkg')];
  if (!existsSync(join(dist, 'index.html'))) throw new Error('web/dist holds no page; build it: cargo xtask web');
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const place = path.endsWith(sep) ? join(path, 'index.html') : path;
    const file = place.startsWith('/pkg/') ? join(web, place) : join(dist, place);
    try {
      const body = await readFile(roots.some((root) => file.startsWith(root)) ? file : '');
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Starts the Chromium that `CHROME` names, or one found on PATH. */
export async function launchChromium() {
  const executablePath = process.env.CHROME || findOnPath(['chromium', 'chromium-browser', 'google-chrome', 'chrome']);
  if (!executablePath) throw new Error('no Chromium on PATH; set CHROME=/path/to/chrome');
  // Containers often run as root, where Chromium refuses its sandbox; the page under test is our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-dev-shm-usage'] : ['--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args });
}

function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/** Opens a tab of its own; whatever the page logs as an error is collected in `problems`. */
export async function openTab(browser, address, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(address);
  return { page, problems, close: () => context.close() };
}

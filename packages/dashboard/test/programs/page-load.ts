import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { ask } from '../../../../test/support/http-client.js';
import { PROGRAM } from '../../../../test/support/program-under-test.js';
import { startServerProcess } from '../../../../test/support/server-process.js';
import { startSharedPostgres } from '../../../../test/support/shared-postgres.js';
import { violations } from '../axe.js';
import { startBrowser } from '../browser.js';
import { makeMany, manyName } from '../many-leases.js';

/**
 * `npm run program page-load`: opens each page in Chromium with an empty cache, through `coordination-apiserver ui`, and prints the figures that
 * Lighthouse judges by, when the first lease was on the screen, and how many violations axe finds. With --screenshots, a picture of each page.
 */
const { values } = parseArgs({
  options: {
    leases: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    screenshots: { type: 'string', default: '' },
  },
});

const NAMESPACE = 'many';
/** Pages, with what shows that a page has its content. */
const PAGES = [
  ['leases', '#/leases', '.row'],
  ['lease', `#/leases/${NAMESPACE}/${manyName(0)}`, 'dl'],
  ['elections', '#/elections', 'h1 ~ *, main p'],
  ['timeline', '#/timeline', '.lane'],
  ['refused', '#/refused', 'table, .empty'],
  ['server', '#/server', 'table, dl'],
] as const;

/** Times in milliseconds since the navigation began. */
interface Load {
  readonly shown: number;
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** By how much of the screen its contents moved. */
  readonly shift: number;
  /** The part of long tasks that exceeds 50 ms. */
  readonly blocked: number;
  readonly requests: number;
  readonly bytes: number;
  readonly violations: readonly string[];
}

interface Address {
  readonly url: string;
  /** That of `coordination-apiserver ui`. */
  readonly key: string;
}

/** Runs in the page before its own scripts. */
const OBSERVE = `
  window.seen = { largestPaint: 0, shift: 0, blocked: 0, shown: 0 };
  const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('largest-contentful-paint', (entry) => { seen.largestPaint = entry.startTime; });
  observe('layout-shift', (entry) => { seen.shift += entry.value; });
  observe('longtask', (entry) => { seen.blocked += entry.duration - 50; });
`;

async function load(
  browser: Browser,
  { url, key }: Address,
  content: string,
  options: BrowserContextOptions,
  picture?: string,
): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const finished: number[] = [];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => finished.push(encodedDataLength));
  await page.addInitScript(OBSERVE);
  // As after an earlier load of the address that the command printed, in which the key takes the place of the route.
  await page.addInitScript((kept) => sessionStorage.setItem('coordination-apiserver-ui-key', kept), key);
  await page.addInitScript((selector) => {
    const look = (): void => {
      if (document.querySelector(selector)) (globalThis as unknown as { seen: { shown: number } }).seen.shown = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, content);
  await page.goto(url);
  await page.waitForFunction(() => (globalThis as unknown as { seen: { shown: number } }).seen.shown > 0);
  await page.waitForTimeout(1_500);
  const seen = await page.evaluate(() => ({
    ...(globalThis as unknown as { seen: Pick<Load, 'largestPaint' | 'shift' | 'blocked' | 'shown'> }).seen,
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }));
  if (picture !== undefined) await page.screenshot({ path: picture });
  const found = await violations(page);
  await context.close();
  return { ...seen, requests: finished.length, bytes: finished.reduce((sum, each) => sum + each, 0), violations: found };
}

async function startUi(dataDir: string): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [PROGRAM, 'ui', '--port=0', `--data-dir=${dataDir}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`ui ended with ${code}: ${text}`)));
  });
  return { url, stop: () => void child.kill('SIGTERM') };
}

function median(loads: readonly Load[], of: (load: Load) => number): number {
  const sorted = loads.map(of).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function print(name: string, loads: readonly Load[]): void {
  const ms = (of: (load: Load) => number): string => `${median(loads, of).toFixed(0)} ms`;
  const found = loads.flatMap((each) => each.violations);
  console.log(
    `${name}: content after ${ms((each) => each.shown)} (longest ${Math.max(...loads.map((each) => each.shown)).toFixed(0)} ms), ` +
      `first paint ${ms((each) => each.firstPaint)}, largest ${ms((each) => each.largestPaint)}, blocked ${ms((each) => each.blocked)}, ` +
      `shift ${median(loads, (each) => each.shift).toFixed(3)}, ${median(loads, (each) => each.requests)} requests, ` +
      `${(median(loads, (each) => each.bytes) / 1000).toFixed(0)} kB, ${found.length} violations`,
  );
  for (const violation of new Set(found)) console.log(`  ${violation}`);
}

async function main(): Promise<void> {
  await using _shared = await startSharedPostgres();
  const server = await startServerProcess();
  const ui = await startUi(server.dataDir);
  const key = new URL(ui.url).hash.slice('#key='.length);
  const browser = await startBrowser({ whole: true });
  try {
    await ask(`${server.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: NAMESPACE } } });
    await makeMany(server.url, NAMESPACE, Number(values.leases));
    for (const [name, hash, content] of PAGES) {
      for (const [kind, options] of [
        ['light', { colorScheme: 'light' }],
        ['dark, phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
      ] as const) {
        const loads: Load[] = [];
        for (let round = 0; round < Number(values.rounds); round++) {
          const picture = values.screenshots && path.join(values.screenshots, `${name}-${kind.replaceAll(/\W+/g, '-')}.png`);
          loads.push(await load(browser, { url: new URL(hash, ui.url).href, key }, content, options, picture || undefined));
        }
        print(`${name}, ${kind}`, loads);
      }
    }
  } finally {
    await browser.close();
    ui.stop();
    await server.stop();
  }
}

await main();

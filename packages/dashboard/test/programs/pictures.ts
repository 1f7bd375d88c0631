import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { ask } from '../../../../test/support/http-client.js';
import { startServerProcess } from '../../../../test/support/server-process.js';
import { startSharedPostgres } from '../../../../test/support/shared-postgres.js';
import { createTestDatabase } from '../../../../test/support/test-database.js';
import { signIn, startBrowser } from '../browser.js';
import { DEMO_LEASES } from '../demo-leases.js';
import { fillDemo } from '../fill-demo.js';
import { liveDemo } from '../live-demo.js';

/**
 * `npm run program pictures`: takes the pictures of the README and of docs/dashboard.md, of a server with leases that it makes up. The page's
 * first font is Inter, so the pictures are alike where it is installed.
 */
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: path.resolve(import.meta.dirname, '../../../../docs/images') },
    /** How long the page watches before its picture is taken: it shows the renewals of the last minute. */
    seconds: { type: 'string', default: '65' },
  },
});

/** Pages, each with the number of elements that show that it has its content, and its height in pixels. */
const PICTURES = [
  ['dashboard-leases', '#/leases', '.row', 12, 840],
  ['dashboard-lease', '#/leases/platform/payments?tab=terms&range=7d', 'tbody tr', 5, 890],
  ['dashboard-timeline', '#/timeline?range=7d', '.lane', 12, 936],
] as const;
const WIDTH = 1360;

/** Controllers that hold no leases, which would be named after this computer. */
const CONTROLLERS = '--controllers=namespace-controller,lease-expiry-controller';

/** Opens all pages, and takes their pictures one after the other once they have watched for long enough. */
async function takePictures(browser: Browser, url: string): Promise<void> {
  const visits = PICTURES.map(async ([name, hash, content, count, height]) => {
    const options = { viewport: { width: WIDTH, height }, colorScheme: 'light' } as const;
    const { page } = await signIn(browser, `${url}/ui/${hash}`, 'admin-token', options);
    await page.mouse.move(0, 0);
    await page.waitForFunction(([selector, least]) => document.querySelectorAll(selector).length >= least, [content, count] as const);
    await page.waitForTimeout(Number(values.seconds) * 1000);
    return { name, page };
  });
  for (const { name, page } of await Promise.all(visits)) {
    const file = path.join(values.to, `${name}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await page.close();
  }
}

async function main(): Promise<void> {
  await using _shared = await startSharedPostgres();
  const database = await createTestDatabase();
  await fillDemo(database.url);
  const server = await startServerProcess({ databaseUrl: database.url, flags: [CONTROLLERS] });
  const browser = await startBrowser({ whole: true });
  for (const name of new Set(DEMO_LEASES.map(({ namespace }) => namespace))) {
    await ask(`${server.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name } } });
  }
  const ending = new AbortController();
  const living = liveDemo(server.url, ending.signal);
  try {
    await Promise.race([living, takePictures(browser, server.url)]);
  } finally {
    ending.abort();
    await Promise.allSettled([living]);
    await browser.close();
    await server.stop();
    await database.drop();
  }
}

await main();

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { ask } from '../../../../test/support/http-client.js';
import { startServerProcess } from '../../../../test/support/server-process.js';
import { startSharedPostgres } from '../../../../test/support/shared-postgres.js';
import { signIn, startBrowser } from '../browser.js';
import { makeMany, renewMany } from '../many-leases.js';

/**
 * `npm run program frames`: the page in Chromium while many leases are renewed. Prints the time between frames, the tasks of more than 50 ms, and the
 * processor time of the page's main thread, which does not depend on what else the machine does; with --minutes, its heap every minute.
 */
const { values } = parseArgs({
  options: {
    leases: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '0' },
    page: { type: 'string', default: '#/leases?ns=many' },
    profile: { type: 'string', default: '' },
  },
});

interface Seen {
  readonly frames: readonly number[];
  readonly long: readonly number[];
}

/** The times between frames, and of long tasks, in milliseconds. */
async function watchFrames(page: Page, seconds: number): Promise<Seen> {
  return page.evaluate(async (ms) => {
    const frames: number[] = [];
    const long: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) long.push(duration);
    });
    observer.observe({ entryTypes: ['longtask'] });
    const end = performance.now() + ms;
    await new Promise<void>((resolve) => {
      let last: number | undefined;
      const frame = (now: number): void => {
        if (last !== undefined) frames.push(now - last);
        last = now;
        if (now < end) requestAnimationFrame(frame);
        else resolve();
      };
      requestAnimationFrame(frame);
    });
    observer.disconnect();
    return { frames, long };
  }, seconds * 1000);
}

/** Seconds of processor time that the page's main thread has used. */
async function mainThread(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

async function heapMiB(session: CDPSession): Promise<string> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return `${(usedSize / 1024 / 1024).toFixed(1)} MiB`;
}

function figures(name: string, given: readonly number[]): string {
  const sorted = [...given].sort((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1);
  return `${name}: ${sorted.length}, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function main(): Promise<void> {
  const [leases, rate, seconds, minutes] = [values.leases, values.rate, values.seconds, values.minutes].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  await using _shared = await startSharedPostgres();
  const server = await startServerProcess();
  const browser = await startBrowser({ whole: true });
  const renewing = new AbortController();
  try {
    await ask(`${server.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: 'many' } } });
    await makeMany(server.url, 'many', leases);
    const { page } = await signIn(browser, `${server.url}/ui/${values.page}`, 'admin-token');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.waitForFunction((count) => document.querySelectorAll('.row, .lane').length >= count, 10);
    console.log(`heap with ${leases} leases: ${await heapMiB(session)}`);
    const began = performance.now();
    const renewed = renewMany(server.url, 'many', leases, rate, renewing.signal);
    await page.waitForTimeout(3000);
    if (values.profile !== '') {
      await session.send('Profiler.enable');
      await session.send('Profiler.start');
    }
    const before = await mainThread(session);
    const { frames, long } = await watchFrames(page, seconds);
    const after = await mainThread(session);
    if (values.profile !== '') writeFileSync(values.profile, JSON.stringify((await session.send('Profiler.stop')).profile));
    console.log(figures('frames', frames));
    console.log(`later than 34 ms: ${frames.filter((ms) => ms > 34).length}`);
    console.log(figures('tasks of more than 50 ms', long));
    for (const name of ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']) {
      const used = (after.get(name) ?? 0) - (before.get(name) ?? 0);
      console.log(`${name}: ${((used / seconds) * 1000).toFixed(0)} ms of processor time a second`);
    }
    for (let minute = 1; minute <= minutes; minute++) {
      await page.waitForTimeout(60_000);
      console.log(`heap after ${minute} min: ${await heapMiB(session)}`);
    }
    renewing.abort();
    const count = await renewed;
    console.log(`renewals: ${((count / (performance.now() - began)) * 1000).toFixed(0)} a second`);
  } finally {
    renewing.abort();
    await browser.close();
    await server.stop();
  }
}

await main();

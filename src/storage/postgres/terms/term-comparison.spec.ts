import { expect, test } from '@jest/globals';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import type { Database } from '../../database/database.js';
import { type ComparedRow, COMPARE_TERMS, TermComparison } from './term-comparison.js';
import type { TermWriter } from './term-writer.js';

const AGREES = { uid: null, revision: null, data: null, holder: null, token: null, term_uid: null };
const HELD = { uid: 'u', revision: 1, data: '{"metadata":{},"spec":{"holderIdentity":"me"}}', holder: null, token: null, term_uid: null };

/** What the database answers, and how long it takes. */
type Page = readonly [tookMs: number, last: string, held?: number];

const rowsOf = ([, last, held = 0]: Page): ComparedRow[] =>
  held === 0
    ? [{ last, path: null, ...AGREES }]
    : Array.from({ length: held }, (_, at) => ({ last, path: `default/${String(at)}`, ...HELD }));

/** Runs a comparison of such pages, of whose corrections that share takes effect; answers when each was begun, after which path, and of how many leases. */
async function comparedPages(pages: readonly Page[], effect = 1): Promise<unknown[]> {
  const scheduler = new ManualScheduler();
  const begun: unknown[] = [];
  const query = async (statement: unknown, [after, most]: readonly unknown[]) => {
    if (statement !== COMPARE_TERMS) return [];
    const page = pages[begun.length];
    begun.push([scheduler.now(), after, most]);
    await scheduler.pass(page?.[0] ?? 0);
    return page ? rowsOf(page) : [];
  };
  const comparison = new TermComparison(
    { query } as unknown as Database,
    { change: (corrections: unknown[]) => Promise.resolve(corrections.slice(0, corrections.length * effect)) } as unknown as TermWriter,
    scheduler,
  );
  const done = comparison.run();
  await settle();
  for (let i = 0; i < 200; i++) await scheduler.pass(10);
  await done;
  return begun;
}

test('a comparison rests after each page, and longer after one that took longer', async () => {
  expect(
    await comparedPages([
      [20, 'a'],
      [1_000, 'b'],
    ]),
  ).toEqual([
    [0, '', 1_000],
    [200, 'a', 1_000],
    [1_700, 'b', 1_000],
  ]);
});

test('a comparison that corrects terms rests for a quarter of its work, and continues in small pages', async () => {
  expect(
    await comparedPages([
      [20, 'a', 300],
      [20, 'b'],
    ]),
  ).toEqual([
    [0, '', 1_000],
    [25, 'a', 300],
    [225, 'b', 1_000],
  ]);
});

test('a page with more corrections than fit into a statement is compared again in parts', async () => {
  expect(
    await comparedPages([
      [20, 'c', 301],
      [20, 'a', 300],
      [20, 'b', 1],
    ]),
  ).toEqual([
    [0, '', 1_000],
    [25, '', 300],
    [50, 'a', 300],
    [75, 'b', 300],
  ]);
});

test('a comparison waits where another process corrects the same, and takes over where that one ends', async () => {
  const pages: Page[] = [
    [20, 'a', 301],
    [20, 'b', 300],
    [20, 'c', 300],
  ];
  expect(await comparedPages(pages, 0)).toEqual([
    [0, '', 1_000],
    [25, '', 300],
    [545, 'b', 300],
    [1_065, 'c', 300],
  ]);
});

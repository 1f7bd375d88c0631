import { expect, test } from '@jest/globals';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import type { Database } from '../../database/database.js';
import type { ComparedLease } from './compare-terms.js';
import { READ_LEASES_WITH_TERMS } from './compare-terms.js';
import { TermComparison } from './term-comparison.js';
import type { TermWriter } from './term-writer.js';

const vacant = (path: string): ComparedLease => ({ path, uid: 'u', revision: 1, data: '{}', holder: null, token: null, term_uid: null });
const page = (name: string, size: number) => Array.from({ length: size }, (_, i) => vacant(`default/${name}-${i}`));

/** Runs a comparison of pages that take so long to read; answers when each was begun. */
async function beginsOf(pages: readonly ComparedLease[][], took: readonly number[]): Promise<number[]> {
  const scheduler = new ManualScheduler();
  const begun: number[] = [];
  const query = async (statement: unknown) => {
    if (statement !== READ_LEASES_WITH_TERMS) return [];
    begun.push(scheduler.now());
    await scheduler.pass(took[begun.length - 1] ?? 0);
    return pages[begun.length - 1] ?? [];
  };
  const comparison = new TermComparison(
    { query } as unknown as Database,
    { change: () => Promise.resolve([]) } as unknown as TermWriter,
    scheduler,
  );
  const done = comparison.run();
  await settle();
  for (let i = 0; i < 200; i++) await scheduler.pass(10);
  expect(await done).toBe(0);
  return begun;
}

test('a comparison rests after each page, and longer after one that took longer', async () => {
  expect(await beginsOf([page('a', 100), page('b', 100), page('c', 1)], [20, 1_000, 20])).toEqual([0, 200, 1_700]);
});

test('a comparison that corrects terms rests as long as it works', async () => {
  const held = page('a', 100).map((lease) => ({ ...lease, data: '{"metadata":{},"spec":{"holderIdentity":"me"}}' }));
  expect(await beginsOf([held, page('b', 1)], [20, 20])).toEqual([0, 40]);
});

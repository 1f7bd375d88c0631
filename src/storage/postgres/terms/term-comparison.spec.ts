import { expect, test } from '@jest/globals';
import { ManualScheduler, settle } from '../../../../test/support/manual-scheduler.js';
import type { Database } from '../../database/database.js';
import type { ComparedLease } from './compare-terms.js';
import { READ_LEASES_WITH_TERMS } from './compare-terms.js';
import { TermComparison } from './term-comparison.js';
import type { TermWriter } from './term-writer.js';

const vacant = (path: string): ComparedLease => ({ path, uid: 'u', revision: 1, data: '{}', holder: null, token: null, term_uid: null });
const page = (name: string, size: number) => Array.from({ length: size }, (_, i) => vacant(`default/${name}-${i}`));

test('a comparison rests after each page, and longer after one that took longer', async () => {
  const scheduler = new ManualScheduler();
  const pages = [page('a', 500), page('b', 500), page('c', 1)];
  const took = [20, 1_000, 20];
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
  for (let i = 0; i < 10; i++) await scheduler.pass(180);
  expect(await done).toBe(0);
  expect(begun).toEqual([0, 200, 1_700]);
});

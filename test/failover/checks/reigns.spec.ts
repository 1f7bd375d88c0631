import { describe, expect, test } from '@jest/globals';
import { overlaps, reignViolations } from './reigns.js';
import type { Reign } from '../../clients/race/reigns-of.js';

const reign = (holder: string, from: number, until: number, token: number): Reign => ({
  ...{ holder, from, until, token: BigInt(token), ended: 'lost' as const },
});
const kinds = (reigns: Reign[], synchronous: boolean) =>
  reignViolations(reigns, { synchronous, learnsWithinMs: 4_000 }).map(({ kind }) => kind);

describe('reigns', () => {
  test('in sequence with growing tokens are correct', () => {
    expect(kinds([reign('a', 0, 5_000, 1), reign('b', 6_000, 9_000, 5)], true)).toEqual([]);
  });

  test('that overlap are a violation with synchronous replication', () => {
    expect(kinds([reign('a', 0, 5_000, 1), reign('b', 4_000, 9_000, 5)], true)).toEqual(['two holders']);
  });

  test('that overlap are counted with asynchronous replication, and the earlier holder must learn of its loss', () => {
    const short = [reign('a', 0, 5_000, 1), reign('b', 4_000, 9_000, 5)];
    expect(kinds(short, false)).toEqual([]);
    expect(overlaps(short).map(({ ms }) => ms)).toEqual([1_000]);
    expect(kinds([reign('a', 0, 9_000, 1), reign('b', 4_000, 12_000, 5)], false)).toEqual(['holder not told']);
  });

  test('whose token does not grow are a violation in either mode', () => {
    const reigns = [reign('a', 0, 5_000, 7), reign('b', 6_000, 9_000, 7)];
    expect(kinds(reigns, true)).toEqual(['token back']);
    expect(kinds(reigns, false)).toEqual(['token back']);
  });

  test('of one holder do not overlap with each other', () => {
    expect(overlaps([reign('a', 0, 5_000, 1), reign('a', 4_990, 9_000, 2)])).toEqual([]);
  });
});

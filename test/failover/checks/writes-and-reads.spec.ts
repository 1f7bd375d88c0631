import { describe, expect, test } from '@jest/globals';
import { deletion, read, state, write } from './history-builder.js';
import { lostWrites } from './lost-writes.js';
import { objectTrees } from './object-tree.js';
import { staleReads } from './stale-reads.js';
import type { ReadRecord, Sighting, WriteRecord } from '../history.js';

const lost = (writes: WriteRecord[], final: Record<string, Sighting>) =>
  lostWrites(objectTrees(writes, new Map(Object.entries(final))).values()).map(({ text }) => text);
const stale = (writes: WriteRecord[], reads: ReadRecord[], final: Record<string, Sighting>) =>
  staleReads(reads, objectTrees(writes, new Map(Object.entries(final)))).length;

describe('lost writes', () => {
  test('a chain that leads to the final state has lost nothing', () => {
    expect(lost([write(1, 'x', '-'), write(2, 'y', 'x'), write(3, 'z', 'y')], { a: state('z', 'y', 3) })).toEqual([]);
  });

  test('an acknowledged write outside of the chain is lost, and so is everything derived from it', () => {
    const writes = [write(1, 'x', '-'), write(2, 'y', 'x'), write(3, 'z', 'y'), write(4, 'other', 'x')];
    expect(lost(writes, { a: state('other', 'x', 4) })).toEqual(['y of a, acknowledged by server 1', 'z of a, acknowledged by server 1']);
  });

  test('a write with an unclear outcome may be in the chain or not', () => {
    const writes = [write(1, 'x', '-'), write(2, 'y', 'x', { outcome: 'unclear' }), write(3, 'z', 'x', { outcome: 'unclear' })];
    expect(lost(writes, { a: state('y', 'x', 2) })).toEqual([]);
  });

  test('a chain continues across a deletion and a new creation', () => {
    const writes = [write(1, 'x', '-'), deletion(2, 'x'), write(3, 'y', 'D:x', { kind: 'create' })];
    expect(lost(writes, { a: state('y', 'D:x', 3) })).toEqual([]);
    expect(lost(writes.slice(0, 2), {})).toEqual([]);
  });

  test('an object that reappeared after an acknowledged deletion is a lost write', () => {
    expect(lost([write(1, 'x', '-'), deletion(2, 'x')], { a: state('x', '-', 1) })).toEqual(['D:x of a, acknowledged by server 1']);
  });

  test('a deletion that could be repeated was lost the first time', () => {
    const writes = [write(1, 'x', '-'), deletion(2, 'x'), deletion(9, 'x')];
    expect(lost(writes, {})).toEqual(['D:x of a, acknowledged by server 1']);
    expect(stale(writes, [read(50, state('x', '-', 1))], {})).toBe(0);
    expect(stale(writes, [read(96, state('x', '-', 1))], {})).toBe(1);
  });

  test('an object that vanished without a deletion is a lost write', () => {
    const writes = [write(1, 'x', '-'), write(2, 'y', 'D:x', { kind: 'create' })];
    expect(lost(writes, { a: state('y', 'D:x', 2) })).toContain('a descends from D:x, which nobody made');
  });
});

describe('stale reads', () => {
  const writes = [write(1, 'x', '-'), write(2, 'y', 'x'), write(3, 'z', 'y')];
  const final = { a: state('z', 'y', 3) };

  test('a read that shows the last acknowledged write or a later one is fresh', () => {
    expect(stale(writes, [read(30, state('y', 'x', 2)), read(30, state('z', 'y', 3)), read(40, state('z', 'y', 3))], final)).toBe(0);
  });

  test('a read that began before the response may show the previous state', () => {
    expect(stale(writes, [read(24, state('x', '-', 1))], final)).toBe(0);
  });

  test('a read that began after the response and shows the previous state is stale', () => {
    expect(stale(writes, [read(26, state('x', '-', 1))], final)).toBe(1);
  });

  test('a read that finds nothing is stale unless a deletion had been sent', () => {
    expect(stale(writes, [read(26, undefined)], final)).toBe(1);
    expect(stale([write(1, 'x', '-'), deletion(2, 'x')], [read(20.5, undefined)], {})).toBe(0);
  });

  test('a list without an acknowledged object is stale', () => {
    const others = new Map([
      ['b', state('q', '-', 9)],
      ['c', state('r', '-', 8)],
    ]);
    expect(stale(writes, [{ server: 1, sentAt: 36, answeredAt: 37, states: others }], final)).toBe(1);
  });

  test('a state that was lost later counts as the state that its branch began at', () => {
    const branched = [...writes.slice(0, 2), write(3, 'lost', 'y'), write(6, 'z', 'y')];
    expect(stale(branched, [read(40, state('lost', 'y', 3))], final)).toBe(0);
    expect(stale(branched, [read(66, state('lost', 'y', 3))], final)).toBe(1);
  });

  test('a branch may go on after a creation that it lost', () => {
    const branch = [deletion(2, 'x'), write(3, 'y', 'D:x', { kind: 'create' }), write(4, 'z', 'D:y', { kind: 'create' })];
    const restored = [write(1, 'x', '-'), ...branch, write(6, 'w', 'x')];
    expect(stale(restored, [read(50, state('z', 'D:y', 4))], { a: state('w', 'x', 6) })).toBe(0);
    expect(stale(restored, [read(66, state('z', 'D:y', 4))], { a: state('w', 'x', 6) })).toBe(1);
  });

  test('a lost write need not be seen', () => {
    const branched = [...writes.slice(0, 2), write(3, 'lost', 'y'), write(6, 'z', 'y')];
    expect(stale(branched, [read(40, state('y', 'x', 2))], final)).toBe(0);
  });
});

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, test } from '@jest/globals';
import { accountOf } from '../ledger/memory-ledger.js';
import type { BodyOutcome, RawRequest } from './raw-exchange.js';
import { LARGE_BYTES, LargeTurns, bodyOf, furtherTurn, largeTurns, takeBody } from './read-body.js';

const raw = { account: { owner: {} } } as unknown as RawRequest;

test('work on a large body goes on when those that waited before have had their turn', async () => {
  const order: string[] = [];
  largeTurns.wait({}, () => order.push('other'));
  await furtherTurn(raw, Buffer.alloc(LARGE_BYTES + 1)).then(() => order.push('own'));
  expect(order).toEqual(['other', 'own']);
});

test('work on a small body goes on at once', async () => {
  const order: string[] = [];
  largeTurns.wait({}, () => order.push('other'));
  await furtherTurn(raw, Buffer.alloc(LARGE_BYTES));
  expect(order).toEqual([]);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

const REQUESTS = 1000;
/** Memory attached to each request, so that those that are kept stand out: 8 kB. */
const BALLAST_WORDS = 1000;
const MIB = 1024 * 1024;

/** A request of which the body has arrived and been read. */
async function answeredRequest(): Promise<BodyOutcome> {
  const raw = new IncomingMessage(new Socket());
  Object.assign(raw, { headers: { 'content-length': '4' }, ballast: new Array<number>(BALLAST_WORDS).fill(0) });
  takeBody(raw, new ServerResponse(raw), accountOf(raw.socket));
  raw.push('body');
  raw.push(null);
  return new Promise((resolve) => bodyOf(raw)?.collect(100, resolve));
}

/** MiB that a round of requests leaves behind after a collection of young objects. */
async function left(outcomes: Set<string>): Promise<number> {
  collectGarbage({ type: 'minor' });
  const before = getHeapStatistics().used_heap_size;
  for (let request = 0; request < REQUESTS; request++) outcomes.add(String(await answeredRequest()));
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage({ type: 'minor' });
  collectGarbage({ type: 'minor' });
  return (getHeapStatistics().used_heap_size - before) / MIB;
}

test('a collection of young objects frees the requests whose bodies were read', async () => {
  const outcomes = new Set<string>();
  // Requests that are kept take 8 MiB in each round. What else is left depends on how large the space of young objects is.
  let least = Infinity;
  for (let round = 0; round < 5 && least >= 4; round++) least = Math.min(least, await left(outcomes));
  expect([...outcomes]).toEqual(['body']);
  expect(least).toBeLessThan(4);
});

describe('turns of large bodies', () => {
  it('come one at a time, and to each owner in turn', async () => {
    const turns = new LargeTurns();
    const [many, one] = [{}, {}];
    const begun: string[] = [];
    let inThisTurn = 0;
    await new Promise<void>((resolve) => {
      const work = (name: string) => () => {
        begun.push(name);
        expect(++inThisTurn).toBe(1);
        void nextTurn().then(() => (inThisTurn = 0));
        if (begun.length === 4) resolve();
      };
      for (const name of ['a1', 'a2', 'a3']) turns.wait(many, work(name));
      turns.wait(one, work('b'));
    });
    expect(begun).toEqual(['a1', 'b', 'a2', 'a3']);
  });

  it('go on after work that comes later', async () => {
    const turns = new LargeTurns();
    for (let count = 0; count < 2; count++) await new Promise<void>((resolve) => turns.wait(turns, resolve));
  });
});

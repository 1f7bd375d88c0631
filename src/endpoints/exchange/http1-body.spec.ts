import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { accountOf } from '../ledger/account-of.js';
import { bodyOf, takeBody } from './http1-body.js';
import type { BodyOutcome } from './raw-exchange.js';

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

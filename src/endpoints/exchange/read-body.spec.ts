import { expect, test } from '@jest/globals';
import { LARGE_BYTES, largeTurns } from './large-turns.js';
import type { RawRequest } from './raw-exchange.js';
import { furtherTurn } from './read-body.js';

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

import { expect, test } from '@jest/globals';
import { runTakeovers } from '../../takeovers/run-takeovers.js';

test('terms are the history that a watcher of another server saw, through kills, pauses and releases of holders', async () => {
  const { takeovers, terms, differences } = await runTakeovers(200);
  expect(differences).toEqual([]);
  expect(Object.values(takeovers).every((count) => count > 0)).toBe(true);
  expect(terms).toBeGreaterThanOrEqual(200);
});

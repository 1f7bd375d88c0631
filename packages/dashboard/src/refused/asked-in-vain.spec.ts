import { expect, test } from '@jest/globals';
import type { RefusedRequest } from '../api/kubernetes-objects.js';
import { askedInVain } from './asked-in-vain.js';

const NOW = Date.parse('2026-01-02T15:04:05Z');
const refused = (user: string, status: RefusedRequest['status'], ago = 1000): RefusedRequest => ({
  metadata: { name: user },
  spec: { user, userAgent: 'test/1' },
  status: { lastTime: new Date(NOW - ago).toISOString(), ...status },
});

test('those who wait are distinguished from those who are refused, with a remedy for the latest', () => {
  const all = [
    refused('a', { waiting: true }),
    refused('b', { waiting: true }),
    refused('c', { remedy: 'Do that.' }),
    refused('c', { remedy: 'Older.' }),
  ];
  expect(askedInVain(all, NOW)).toEqual({ sentence: '3 others asked in the last minute: 2 wait, 1 is refused', remedy: 'Do that.' });
  expect(askedInVain([refused('c', { message: 'no' })], NOW)).toEqual({
    sentence: '1 other asked in the last minute: 1 is refused',
    remedy: 'no',
  });
});

test('requests from longer ago are left out', () => {
  expect(askedInVain([refused('a', {}, 61_000)], NOW)).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { expired } from '../../apimachinery/errors/status-errors.js';
import { StorageError, compactedError } from '../../storage/storage-errors.js';
import { logWatchEnd } from './informer.js';

test.each([
  ['of a resource whose history is gone', expired('too old resource version'), 'debug'],
  ['of a store whose history is gone', compactedError(1n, 2), 'debug'],
  ['for another reason', new StorageError('Unavailable', 'away'), 'warn'],
])('the end of a watch %s is logged at its level', (_, error, level) => {
  const lines: string[] = [];
  const logger = pino({ level: 'debug', formatters: { level: (label) => ({ level: label }) } }, { write: (line) => lines.push(line) });
  logWatchEnd(logger, error, 'leases');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ level, resource: 'leases' })]);
});

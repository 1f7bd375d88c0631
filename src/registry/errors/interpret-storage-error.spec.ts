import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { notFound } from '../../apimachinery/errors/status-errors.js';
import { type StorageErrorCode, type StorageErrorDetails, StorageError } from '../../storage/storage-errors.js';
import { type StorageOperation, interpretStorageError } from './interpret-storage-error.js';

const operation: StorageOperation = {
  verb: 'update',
  resource: { group: 'coordination.k8s.io', resource: 'leases' },
  name: 'a',
  namespace: 'ns',
};

function interpreted(code: StorageErrorCode, details: StorageErrorDetails = {}, verb: StorageOperation['verb'] = 'update') {
  const error = interpretStorageError(new StorageError(code, 'an internal text', details), { ...operation, verb });
  if (!(error instanceof ApiError)) throw new Error('no ApiError');
  return error.status;
}

describe('a storage error as a Status', () => {
  it.each<[StorageErrorCode, StorageErrorDetails, StorageOperation['verb'], string, string]>([
    ['Exists', {}, 'create', '409 AlreadyExists', 'leases.coordination.k8s.io "a" already exists'],
    ['NotFound', {}, 'get', '404 NotFound', 'leases.coordination.k8s.io "a" not found'],
    [
      'Conflict',
      {},
      'update',
      '409 Conflict',
      'Operation cannot be fulfilled on leases.coordination.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
    ['ContainerMissing', {}, 'create', '404 NotFound', 'namespaces "ns" not found'],
    [
      'ContainerTerminating',
      {},
      'create',
      '403 Forbidden',
      'leases.coordination.k8s.io "a" is forbidden: unable to create new content in namespace ns because it is being terminated',
    ],
    ['TooLarge', { limit: '9 values' }, 'update', '413 RequestEntityTooLarge', 'Request entity too large: limit is 9 values'],
    ['TooLarge', {}, 'create', '413 RequestEntityTooLarge', 'Request entity too large: limit is 1572864'],
    [
      'QuotaExceeded',
      { limit: 'objects=10 in namespace ns' },
      'create',
      '403 Forbidden',
      'leases.coordination.k8s.io "a" is forbidden: exceeded quota: objects=10 in namespace ns',
    ],
    ['Compacted', { requested: 5n, current: 9 }, 'watch', '410 Expired', 'too old resource version: 5 (8)'],
    ['Compacted', {}, 'watch', '410 Expired', 'The resourceVersion for the provided watch is too old.'],
    ['Compacted', { requested: 5n, current: 9 }, 'list', '410 Expired', 'The resourceVersion for the provided list is too old.'],
    ['TooLargeRevision', { requested: 9n, current: 5 }, 'list', '504 Timeout', 'Timeout: Too large resource version: 9, current: 5'],
    [
      'Unavailable',
      {},
      'update',
      '503 ServiceUnavailable',
      'The update operation against leases.coordination.k8s.io could not be completed at this time, please try again.',
    ],
    [
      'OutcomeUnknown',
      {},
      'update',
      '504 Timeout',
      'Timeout: the outcome of the update operation against leases.coordination.k8s.io is unknown - the database did not confirm it',
    ],
    ['Abandoned', {}, 'update', '504 Timeout', 'Timeout: request did not complete within requested timeout - context deadline exceeded'],
  ])('%s %j on %s is %s: %s', (code, details, verb, answer, message) => {
    const status = interpreted(code, details, verb);
    expect([`${status.code} ${status.reason}`, status.message]).toEqual([answer, message]);
  });

  it('asks the client to retry soon if the revision is in the future', () => {
    expect(interpreted('TooLargeRevision', { requested: 9n, current: 5 }).details?.retryAfterSeconds).toBe(1);
    const future = new StorageError('TooLargeRevision', 'the future', { requested: 9n, current: 5 });
    const seconds = (verb: 'list' | 'watch') =>
      (interpretStorageError(future, { ...operation, verb, uncached: true }) as ApiError).status.details?.retryAfterSeconds;
    expect([seconds('list'), seconds('watch')]).toEqual([undefined, 1]);
  });

  it('leaves every other error unchanged', () => {
    const answer = notFound(operation.resource, 'x');
    const defect = new TypeError('x is undefined');
    expect(interpretStorageError(answer, operation)).toBe(answer);
    expect(interpretStorageError(defect, operation)).toBe(defect);
  });
});

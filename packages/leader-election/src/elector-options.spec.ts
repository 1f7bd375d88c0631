import { expect, test } from '@jest/globals';
import { MemoryObjects } from '../test/support/memory-objects.js';
import type { LeaseSpec } from '../../kube-client/src/kubernetes-objects.js';
import { type LeaderElectorOptions, completeOptions } from './elector-options.js';

const base: LeaderElectorOptions = { client: new MemoryObjects<LeaseSpec>().client(), namespace: 'default', name: 'lease' };
const callbacks = { onStartedLeading: () => undefined, onStoppedLeading: () => undefined };

test('defaults are those of client-go', () => {
  const { leaseDuration, renewDeadline, retryPeriod, releaseOnCancel } = completeOptions(base);
  expect({ leaseDuration, renewDeadline, retryPeriod, releaseOnCancel }).toEqual({
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2_000,
    releaseOnCancel: false,
  });
});

test('two electors of one process have different identities', () => {
  expect(completeOptions(base).identity).not.toBe(completeOptions(base).identity);
  expect(completeOptions(base).identity).toMatch(/^.+_[0-9a-f-]{36}$/);
});

test.each<[Partial<LeaderElectorOptions>, string]>([
  [{ leaseDuration: 10_000 }, 'leaseDuration must be greater than renewDeadline'],
  [{ renewDeadline: 2_400 }, 'renewDeadline must be greater than retryPeriod*JitterFactor'],
  [{ leaseDuration: 0, renewDeadline: -1, retryPeriod: -1 }, 'leaseDuration must be greater than zero'],
  [{ leaseDuration: 1, renewDeadline: 0, retryPeriod: -1 }, 'renewDeadline must be greater than zero'],
  [{ retryPeriod: 0 }, 'retryPeriod must be greater than zero'],
  [{ leaseDuration: NaN }, 'durations must be finite numbers of milliseconds'],
  [{ maxTerm: 14_999 }, 'maxTerm must not be less than leaseDuration'],
  [{ maxTerm: NaN }, 'maxTerm must not be less than leaseDuration'],
  [{ drain: -1 }, 'drain must be between zero and a day'],
  [{ drain: Infinity }, 'drain must be between zero and a day'],
  [{ priority: 1.5 }, 'priority must be a whole number between -1000000000 and 1000000000'],
  [{ priority: 1, coordinated: {} as never }, 'priority and coordinated exclude each other: there the controller prefers'],
  [{ identity: '' }, 'identity is empty'],
  [{ name: '' }, 'namespace and name of the lease must not be empty'],
  [{ client: undefined }, 'client must be given'],
  [{ callbacks: { ...callbacks, onStartedLeading: undefined as never } }, 'onStartedLeading callback must be a function'],
  [{ callbacks: { ...callbacks, onStoppedLeading: undefined as never } }, 'onStoppedLeading callback must be a function'],
])('%o is refused: %s', (given, message) => {
  expect(() => completeOptions({ ...base, ...given })).toThrow(new TypeError(message));
});

test('the smallest allowed margins are accepted', () => {
  expect(() => completeOptions({ ...base, leaseDuration: 2_402, renewDeadline: 2_401 })).not.toThrow();
});

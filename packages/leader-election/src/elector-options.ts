import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, systemClock } from '../../kube-client/src/clock.js';
import type { LeadershipTerm } from './leadership-term.js';
import type { LeaseClient, LeaseCandidateClient } from '../../kube-client/src/object-client.js';

export interface LeaderCallbacks {
  /**
   * The work of a leader. It should end when `term.signal` aborts. A rejection before that ends the term, and `run` rejects with it.
   * The lease is released only after it has settled.
   */
  onStartedLeading(term: LeadershipTerm): void | Promise<void>;
  /** Called at the end of every `run`, as in client-go also for a candidate that never led: then without a term. */
  onStoppedLeading(term: LeadershipTerm | undefined): void;
  /** Called for each newly observed holder, including the first. */
  onNewLeader?(identity: string): void;
}

/** Coordinated leader election: the server's controller chooses among LeaseCandidates. */
export interface CoordinatedOptions {
  readonly client: LeaseCandidateClient;
  /** The version of this program, such as `1.4.0`. */
  readonly binaryVersion: string;
  /** The version whose behaviour the program shows; the same by default. */
  readonly emulationVersion?: string;
  /** `OldestEmulationVersion` by default. */
  readonly strategy?: string;
}

/** Durations are milliseconds. */
export interface LeaderElectorOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Must differ from that of every other candidate; `<hostname>_<uuid>` by default. */
  readonly identity?: string;
  /** How long other candidates wait after the last renewal they saw; 15 s by default. */
  readonly leaseDuration?: number;
  /** How long a leader continues without a successful renewal; 10 s by default. */
  readonly renewDeadline?: number;
  /** Between two attempts; 2 s by default. A candidate that does not lead adds up to 120 % of it at random. */
  readonly retryPeriod?: number;
  /** Whether a term that the holder ends empties the lease, so that others need not wait. */
  readonly releaseOnCancel?: boolean;
  /** Put on the Lease when it is acquired. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly callbacks?: LeaderCallbacks;
  readonly coordinated?: CoordinatedOptions;
  /** Called for every failed request; the elector itself retries. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  /** In [0, 1); Math.random by default. */
  readonly random?: () => number;
}

type Defaulted = 'identity' | 'leaseDuration' | 'renewDeadline' | 'retryPeriod' | 'releaseOnCancel' | 'onError' | 'clock' | 'random';
export type CompleteOptions = LeaderElectorOptions & Required<Pick<LeaderElectorOptions, Defaulted>>;

/** client-go's JitterFactor. */
export const JITTER_FACTOR = 1.2;

/** Adds client-go's defaults and applies the checks of its NewLeaderElector, in its order. */
export function completeOptions(given: LeaderElectorOptions): CompleteOptions {
  const options = {
    ...given,
    identity: given.identity ?? `${hostname()}_${randomUUID()}`,
    leaseDuration: given.leaseDuration ?? 15_000,
    renewDeadline: given.renewDeadline ?? 10_000,
    retryPeriod: given.retryPeriod ?? 2_000,
    releaseOnCancel: given.releaseOnCancel ?? false,
    onError: given.onError ?? (() => undefined),
    clock: given.clock ?? systemClock,
    random: given.random ?? Math.random,
  };
  const problem = invalidDurations(options) ?? invalidReferences(options);
  if (problem !== undefined) throw new TypeError(problem);
  return options;
}

function invalidDurations({ leaseDuration, renewDeadline, retryPeriod }: CompleteOptions): string | undefined {
  if (![leaseDuration, renewDeadline, retryPeriod].every(Number.isFinite)) return 'durations must be finite numbers of milliseconds';
  if (leaseDuration <= renewDeadline) return 'leaseDuration must be greater than renewDeadline';
  if (renewDeadline <= retryPeriod * JITTER_FACTOR) return 'renewDeadline must be greater than retryPeriod*JitterFactor';
  if (leaseDuration <= 0) return 'leaseDuration must be greater than zero';
  if (renewDeadline <= 0) return 'renewDeadline must be greater than zero';
  if (retryPeriod <= 0) return 'retryPeriod must be greater than zero';
  return undefined;
}

function invalidReferences({ callbacks, client, namespace, name, identity }: CompleteOptions): string | undefined {
  if (callbacks && typeof callbacks.onStartedLeading !== 'function') return 'onStartedLeading callback must be a function';
  if (callbacks && typeof callbacks.onStoppedLeading !== 'function') return 'onStoppedLeading callback must be a function';
  if (!client) return 'client must be given';
  if (!namespace || !name) return 'namespace and name of the lease must not be empty';
  if (identity === '') return 'identity is empty';
  return undefined;
}

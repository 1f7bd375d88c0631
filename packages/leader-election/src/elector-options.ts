import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, systemClock } from '../../kube-client/src/clock.js';
import { GREATEST_PRIORITY, isPriority } from '../../../src/apimachinery/election/hand-over.js';
import type { LeadershipTerm } from './leadership-term.js';
import type { LeaseClient, LeaseCandidateClient } from '../../kube-client/src/coordination-client.js';

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
  /** How long one term may last: then it ends, and others lead first. Without a limit by default; at least `leaseDuration`. */
  readonly maxTerm?: number;
  /**
   * How long a term that is to end goes on, renewed, until its work is done or at a good place (`term.ending`, `term.atGoodPlace`); at most a day. By
   * default 30 s if `maxTerm` is over or another candidate is preferred, otherwise 0, as in client-go.
   */
  readonly drain?: number;
  /**
   * A candidate asks a holder with a smaller priority to hand over. Those without a priority neither ask nor are asked, as client-go. Not together
   * with `coordinated`, whose controller prefers.
   */
  readonly priority?: number;
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

/** How long a hand-over waits for a good place, unless `drain` says it. */
export const USUAL_DRAIN = 30_000;
const LONGEST_DRAIN = 86_400_000;

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
  const problem = invalidDurations(options) ?? invalidHandOver(options) ?? invalidReferences(options);
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

function invalidHandOver({ maxTerm = Infinity, leaseDuration, drain = 0, priority, coordinated }: CompleteOptions): string | undefined {
  if (!(maxTerm >= leaseDuration)) return 'maxTerm must not be less than leaseDuration';
  if (!(drain >= 0 && drain <= LONGEST_DRAIN)) return 'drain must be between zero and a day';
  if (priority === undefined) return undefined;
  if (!isPriority(priority)) return `priority must be a whole number between -${GREATEST_PRIORITY} and ${GREATEST_PRIORITY}`;
  return coordinated ? 'priority and coordinated exclude each other: there the controller prefers' : undefined;
}

function invalidReferences({ callbacks, client, namespace, name, identity }: CompleteOptions): string | undefined {
  if (callbacks && typeof callbacks.onStartedLeading !== 'function') return 'onStartedLeading callback must be a function';
  if (callbacks && typeof callbacks.onStoppedLeading !== 'function') return 'onStoppedLeading callback must be a function';
  if (!client) return 'client must be given';
  if (!namespace || !name) return 'namespace and name of the lease must not be empty';
  if (identity === '') return 'identity is empty';
  return undefined;
}

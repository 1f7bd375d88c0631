import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { GREATEST_PRIORITY, isPriority, standAsideFor } from '../../../src/apimachinery/election/hand-over.js';
import type { Clock } from '../../kube-client/src/clock.js';
import type { Claim, LeaseBackend } from './backend.js';

/** Durations are milliseconds. */
export interface LockOptions {
  readonly backend: LeaseBackend;
  /** Default: that of the backend. */
  readonly namespace?: string;
  /** How many may hold the lock at the same time; the same number for all who use it. 1 by default. */
  readonly slots?: number;
  /** How long to wait for the lock; 0: not at all. By default without limit. */
  readonly wait?: number;
  /** How long a crashed holder keeps the lock; 15 s by default. */
  readonly duration?: number;
  /** How long the work may take to end once the lease cannot be renewed; a third of the duration by default. */
  readonly grace?: number;
  /** How long the lock may be held: then `lock.ending` aborts. Without a limit by default; at least the duration. */
  readonly maxTerm?: number;
  /**
   * A contender asks a holder with a smaller priority to hand over, by `lock.ending`, and does not queue. Those without a priority queue, and neither ask
   * nor are asked. Only at a server, and with one slot.
   */
  readonly priority?: number;
  /** Shown as the holder, followed by random characters; by default the names of host and process. */
  readonly holder?: string;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Called when the lock is not free and the wait begins, with a holder if there is one. */
  readonly onWait?: (holder: string) => void;
  /** Called when the wait is over, or none was wanted, but a holder that seems dead is watched until its lease has expired. */
  readonly onSeemsDead?: (holder: string) => void;
  /** Called when others were seen to use another number of slots; by default a warning of the process. */
  readonly onDisagreement?: (sentence: string) => void;
  /** Called for requests that failed and are repeated. */
  readonly onError?: (error: unknown) => void;
}

export interface CompleteLockOptions extends LockOptions {
  readonly claim: Claim;
  readonly grace: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWait: (holder: string) => void;
  readonly onSeemsDead: (holder: string) => void;
  readonly onDisagreement: (sentence: string) => void;
  readonly onError: (error: unknown) => void;
}

const DEFAULT_DURATION = 15_000;
/** The name of a queue's ticket is longer by some characters, and a Lease's has at most 253. */
const LONGEST_NAME = 230;
const MAX_SLOTS = 1_000;
const LONGEST_DURATION = 86_400_000;

/** Adds the defaults. Throws a LockError for values that cannot work. */
export function completeLockOptions(name: string, options: LockOptions): CompleteLockOptions {
  const { backend, namespace = backend.namespace, slots = 1, wait, duration = DEFAULT_DURATION, grace = duration / 3, priority } = options;
  const problem = invalidName(name) ?? invalidNumbers({ slots, wait, duration, grace, maxTerm: options.maxTerm, priority });
  if (problem !== undefined) throw new LockError('invalid', problem);
  const leases = slots === 1 ? [name] : Array.from({ length: slots }, (_, slot) => `${name}-${slot}`);
  const holder = `${options.holder ?? `${hostname()}_${process.pid}`}_${randomBytes(5).toString('hex')}`;
  return {
    ...options,
    claim: { lock: name, namespace, leases, holder, duration, priority },
    grace,
    clock: backend.clock,
    signal: options.signal ?? new AbortController().signal,
    onWait: options.onWait ?? (() => undefined),
    onSeemsDead: options.onSeemsDead ?? (() => undefined),
    onDisagreement: options.onDisagreement ?? ((sentence) => process.emitWarning(sentence)),
    onError: options.onError ?? (() => undefined),
  };
}

/** As the server would refuse it, but before any request. */
function invalidName(name: string): string | undefined {
  const labels = name.split('.');
  if (name.length <= LONGEST_NAME && labels.every((label) => /^[a-z0-9-]+$/.test(label) && !/^-|-$/.test(label))) return undefined;
  return `"${name}" cannot be the name of a lock: lower-case letters, digits, "-" and ".", at most ${LONGEST_NAME}`;
}

interface Numbers {
  readonly slots: number;
  readonly wait?: number;
  readonly duration: number;
  readonly grace: number;
  readonly maxTerm?: number;
  readonly priority?: number;
}

function invalidHandOver({ maxTerm = Infinity, priority, slots, duration }: Numbers): string | undefined {
  if (!(maxTerm >= duration)) return 'the longest term must not be shorter than the duration';
  if (priority === undefined) return undefined;
  if (!isPriority(priority)) return `the priority must be a whole number between -${GREATEST_PRIORITY} and ${GREATEST_PRIORITY}`;
  return slots === 1 ? undefined : 'a semaphore has no priorities';
}

function invalidNumbers(numbers: Numbers): string | undefined {
  const { slots, wait = 0, duration, grace } = numbers;
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) return `the number of slots must be between 1 and ${MAX_SLOTS}`;
  if (!(wait >= 0)) return 'the wait must not be negative';
  if (!(duration >= SHORTEST_DURATION && duration <= LONGEST_DURATION)) return 'the duration must be between one second and one day';
  if (!(grace >= 0 && grace <= longestGrace(duration))) return 'the grace must not exceed eight fifteenths of the duration';
  return invalidHandOver(numbers);
}

/** The times of a held lease, in milliseconds after the last successful renewal was sent. */
export interface LockSchedule {
  /** The next renewal. */
  readonly renewEvery: number;
  /** Between a failed renewal and the next attempt. */
  readonly retryEvery: number;
  /** For one request. */
  readonly requestTimeout: number;
  /** From here on the lock counts as lost: the work has to end. */
  readonly lostAfter: number;
  /** Until here nobody else can hold the lease. The rest of its duration is a margin for clocks that run at different rates. */
  readonly exclusiveFor: number;
  /** Within that margin: how much later a guard acts, in case this process cannot. */
  readonly guardDelay: number;
  /** How long a lease that was handed over is left to others. */
  readonly standAside: number;
}

const SHORTEST_DURATION = 1_000;

/** Three attempts at a renewal, then a third of the duration to end the work; like client-go's 2 s, 10 s and 15 s. */
export function lockSchedule(duration: number, grace = duration / 3): LockSchedule {
  const unit = duration / 15;
  const exclusiveFor = duration - unit;
  const renewEvery = 2 * unit;
  return {
    renewEvery,
    retryEvery: unit / 2,
    requestTimeout: 2 * unit,
    lostAfter: exclusiveFor - grace,
    exclusiveFor,
    guardDelay: unit / 4,
    standAside: standAsideFor(renewEvery),
  };
}

/** The longest grace that leaves time for two attempts at a renewal. */
export function longestGrace(duration: number): number {
  return (duration / 15) * 8;
}

/**
 * - `not-acquired`: the lock was not free in time.
 * - `lost`: the lease could not be renewed in time, or somebody else has taken or deleted it.
 * - `unreachable`: the server or database does not answer, or fails.
 * - `refused`: it answers, but rejects the request; another attempt would not help.
 * - `configuration`: nothing says where the leases are, or what says it cannot be used.
 * - `invalid`: a name or number cannot be used.
 */
export type LockFailure = 'not-acquired' | 'lost' | 'unreachable' | 'refused' | 'configuration' | 'invalid';

export class LockError extends Error {
  override readonly name = 'LockError';

  constructor(
    readonly why: LockFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function isUnreachable(error: unknown): error is LockError {
  return error instanceof LockError && error.why === 'unreachable';
}

import { standAsideFor } from '../../../src/apimachinery/election/hand-over.js';

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

export const SHORTEST_DURATION = 1_000;

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

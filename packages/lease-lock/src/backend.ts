import type { Clock } from '../../kube-client/src/clock.js';

/** What one contender asks for: any one of several interchangeable leases. */
export interface Claim {
  /** The lock's name, under which contenders queue. */
  readonly lock: string;
  readonly namespace: string;
  /** One lease for mutual exclusion, several for a semaphore. */
  readonly leases: readonly string[];
  /** Must differ from that of every other contender. */
  readonly holder: string;
  /** Milliseconds for which a lease holds after its last renewal. */
  readonly duration: number;
  /** A contender asks a holder with a smaller one to hand over; without one it neither asks nor is asked. */
  readonly priority?: number;
}

export interface Acquired {
  readonly held: true;
  /** The index of the acquired lease in the claim. */
  readonly slot: number;
  /** Greater for every later acquisition of the lease. */
  readonly token: bigint;
  /** The moment before the request, on the monotonic clock: the lease holds at least for its duration from then on. */
  readonly at: number;
}

export interface NotAcquired {
  readonly held: false;
  /** One of the holders; empty if there is none, because others wait for the free lease. */
  readonly holder: string;
  /** By the times that the holder has written, it should have renewed long ago. Clocks differ: this is a hint and frees nothing. */
  readonly seemsDead: boolean;
}

export type Attempt = Acquired | NotAcquired;

/** `preferred` asks the holder to hand over. */
export type Renewal =
  { readonly held: true; readonly at: number; readonly preferred?: string } | { readonly held: false; readonly why: 'taken' | 'freed' };

/** The leases of one claim. Requests reject with a LockError, `unreachable` where another attempt may succeed. */
export interface ClaimedLeases {
  /** One attempt. `mayTake` is asked when a lease is free, before it is taken. May resolve with a lease although the signal has aborted. */
  acquire(signal: AbortSignal, mayTake?: () => Promise<boolean>): Promise<Attempt>;
  /** Who holds the lock of a semaphore with another number of slots, as a sentence. Those who hold a plain lock are not asked. */
  disagreement(signal: AbortSignal): Promise<string | undefined>;
  /** Renews the acquired lease. Never takes back a lease that was deleted or that another holder has had since. */
  renew(signal: AbortSignal): Promise<Renewal>;
  /**
   * Resolves once the acquired lease was seen deleted, or with another holder; a renewal then tells what has happened. Rejects if nobody can be
   * asked. Absent where nothing tells of changes.
   */
  untilTaken?(signal: AbortSignal): Promise<void>;
  /** Frees the acquired lease, if it is still held. */
  release(signal: AbortSignal): Promise<void>;
  /** Frees what an attempt has taken whose answer was lost, if there was such an attempt. */
  abandon(signal: AbortSignal): Promise<void>;
  /** Resolves when another attempt may succeed, with `anyChange` also when a holder has renewed. */
  waitForChange(signal: AbortSignal, anyChange?: boolean): Promise<void>;
}

/** A place in the queue of those who wait for a lock. */
export interface Place {
  /** Resolves when nobody is ahead. */
  turn(signal: AbortSignal): Promise<void>;
  /** Whether nobody is ahead. False after a turn if the place was lost: a contender that was stopped for long counts as dead. */
  isFirst(signal: AbortSignal): Promise<boolean>;
  /** Gives the place up; `served` if its owner has the lock. */
  leave(served: boolean, signal: AbortSignal): Promise<void>;
}

export interface WaitingLine {
  /** Whether somebody waits. */
  isOccupied(signal: AbortSignal): Promise<boolean>;
  join(): Place;
}

/** Where leases are kept: `serverLeases` and `databaseLeases` open one. */
export interface LeaseBackend {
  /** The one clock by which leases of the backend are acquired and lost. */
  readonly clock: Clock;
  /** For locks that name none. */
  readonly namespace: string;
  claim(claim: Claim): ClaimedLeases;
  line(claim: Claim): WaitingLine;
}

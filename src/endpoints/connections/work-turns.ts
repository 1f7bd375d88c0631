import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { accountOf } from '../ledger/memory-ledger.js';

/** Pieces that a waiting connection may take before the next connection gets its turn, so that one connection does not fill a turn. */
const PIECES_AFTER_WAITING = 2;
/** Fraction of a turn that a connection may take without having waited, so that a client with many concurrent requests is not delayed. */
const PART_IN_A_ROW = 1 / 2;

/** Work caused by a client: requests that its connection has yet to start, or streams that it has yet to end. */
export interface Worker {
  /** Whose work it is: a user, or an address before authentication. Absent, it is its own. */
  readonly owner?: object | undefined;
  /** Called in a later turn after `take` returned false. Takes pieces until there are none, or until `take` returns false again. */
  goOn(): void;
}

/**
 * Spreads the work caused by clients over turns of the event loop: requests that start, and streams that end with their connection. All
 * connections together may start a limited number of pieces per turn (see TurnLimit); the rest continue in later turns, a few pieces of
 * one connection of each owner at a time. A request therefore waits for a bounded amount of other work, whatever other clients send, and
 * on however many connections.
 */
export class WorkTurns {
  readonly #limit = new TurnLimit();
  #left = this.#limit.pieces;
  #worker: Worker | undefined;
  #inARow = 0;
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<object, Set<Worker>>();
  #isArmed = false;
  #beganAt = 0;
  readonly #now: () => number;
  readonly #next = (): void => this.#begin();

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the worker may do a piece now. If not, its `goOn` is called when it may. */
  take(worker: Worker): boolean {
    if (worker !== this.#worker) this.#give(worker, Math.ceil(this.#limit.pieces * PART_IN_A_ROW));
    this.#arm();
    if (this.#left === 0 || this.#inARow === 0) {
      this.#wait(worker);
      return false;
    }
    this.#left -= 1;
    this.#inARow -= 1;
    return true;
  }

  #wait(worker: Worker): void {
    const owner = worker.owner ?? worker;
    const workers = this.#waiting.get(owner);
    if (workers) workers.add(worker);
    else this.#waiting.set(owner, new Set([worker]));
  }

  #give(worker: Worker | undefined, pieces: number): void {
    this.#worker = worker;
    this.#inARow = pieces;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#beganAt = this.#now();
    setImmediate(this.#next);
  }

  /** Waiting workers precede work that arrives in this turn. A worker that has to wait again is reached again by the loop. */
  #begin(): void {
    this.#isArmed = false;
    this.#limit.observe(this.#now() - this.#beganAt, this.#left === 0);
    this.#left = this.#limit.pieces;
    for (const [owner, workers] of this.#waiting) {
      if (this.#left === 0) break;
      this.#waiting.delete(owner);
      const { value: worker } = workers.values().next() as IteratorYieldResult<Worker>;
      workers.delete(worker);
      if (workers.size > 0) this.#waiting.set(owner, workers);
      this.#give(worker, PIECES_AFTER_WAITING);
      worker.goOn();
    }
    this.#give(undefined, 0);
    if (this.#waiting.size > 0) this.#arm();
  }
}

/** Applies `act` to each item, in as many turns as needed; starts immediately. */
export function inTurns<T>(turns: WorkTurns, items: readonly T[], act: (item: T) => void): void {
  let at = 0;
  const worker: Worker = {
    goOn() {
      for (; at < items.length && turns.take(worker); at++) act(items[at] as T);
    },
  };
  worker.goOn();
}

/** Bounds of the number of pieces per turn. The lower bound keeps the server working however slow each piece is. */
export const LEAST_PIECES = 8;
export const MAX_PIECES = 128;
const PIECES_AT_FIRST = 32;
/** Target maximum length of a turn. A request passes through three or four turns. */
const TARGET_MS = 10;
/** The limit changes by at most this factor from one turn to the next, so that one pause does not shut the server. */
const MAX_CHANGE = 2;

/**
 * How many pieces of work one turn of the event loop may start, from `LEAST_PIECES` to `MAX_PIECES`. The limit follows the measured length
 * of turns: a long turn lowers it, and a short turn that used all of it raises it. Short turns with little to do show nothing about the
 * cost of many pieces, so they leave it unchanged.
 */
export class TurnLimit {
  #pieces = PIECES_AT_FIRST;

  get pieces(): number {
    return this.#pieces;
  }

  /** Records a turn that took `ms` milliseconds. `wasUsedUp`: it started as many pieces as allowed. */
  observe(ms: number, wasUsedUp: boolean): void {
    if (ms <= TARGET_MS && !wasUsedUp) return;
    const change = Math.min(MAX_CHANGE, Math.max(1 / MAX_CHANGE, TARGET_MS / ms));
    this.#pieces = Math.min(MAX_PIECES, Math.max(LEAST_PIECES, Math.round(this.#pieces * change)));
  }
}

/** Starts a request that has arrived; returns its response. */
export type BeginRequest = () => ServerResponse;

/**
 * Starts HTTP/1.1 requests one after the other on each connection, like Go's server. A client may send more requests without waiting for
 * responses, and node:http would start them all at once. Up to the limit may wait; one more ends the connection.
 */
export class PipelinedRequests {
  readonly #limit: number;
  readonly #turns: WorkTurns;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  constructor(limit: number, turns: WorkTurns) {
    this.#limit = limit;
    this.#turns = turns;
  }

  /** Starts the request when its turn comes; never, if its connection ends earlier. */
  add(socket: Socket, begin: BeginRequest): void {
    let pipeline = this.#pipelines.get(socket);
    if (!pipeline) this.#pipelines.set(socket, (pipeline = new Pipeline(socket, this.#turns)));
    if (pipeline.length < this.#limit) pipeline.add(begin);
    else socket.destroy();
  }
}

/** The unanswered requests of one connection. */
class Pipeline implements Worker {
  readonly #socket: Socket;
  readonly #turns: WorkTurns;
  #waiting: BeginRequest[] = [];
  #isAnswering = false;

  constructor(socket: Socket, turns: WorkTurns) {
    this.#socket = socket;
    this.#turns = turns;
  }

  get length(): number {
    return this.#waiting.length + (this.#isAnswering ? 1 : 0);
  }

  get owner(): object {
    return accountOf(this.#socket).owner;
  }

  add(begin: BeginRequest): void {
    this.#waiting.push(begin);
    if (this.#waiting.length === 1) this.goOn();
  }

  goOn(): void {
    if (this.#socket.destroyed) this.#waiting = [];
    if (this.#isAnswering || this.#waiting.length === 0 || !this.#turns.take(this)) return;
    const begin = this.#waiting.shift();
    this.#isAnswering = true;
    begin?.().once('close', () => {
      this.#isAnswering = false;
      this.goOn();
    });
  }
}

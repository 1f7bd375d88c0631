import type { Assumptions, Setting } from './assumptions.js';

/** Renewals a second above which a part does not keep up, whatever they may wait. */
export interface Limits {
  readonly servers: number;
  /** All batches go through one row, one after the other. Full ones carry most. */
  readonly counter: number;
  readonly first: 'server processes' | 'counter row';
}

export function limitsOf({ replicas, commit, watchers }: Omit<Setting, 'rate'>, assumed: Assumptions): Limits {
  const request = (assumed.requestBefore + assumed.requestAfter) / replicas;
  const change = assumed.follow + (watchers / replicas) * assumed.event;
  const servers = 1000 / (request + change);
  const full = assumed.batchItems;
  const counter = (1000 * full) / (assumed.batch + assumed.item * full + commit);
  return { servers, counter, first: servers < counter ? 'server processes' : 'counter row' };
}

/** What PostgreSQL has to have. */
export interface DatabaseNeed {
  /** Cores that are busy at most, writers and readers: as if a statement were CPU from its beginning to its end. */
  readonly cores: number;
  readonly walMiBPerSecond: number;
  readonly commitsPerSecond: number;
}

/** `batch` is how many renewals a batch carries. */
export function databaseNeed({ rate, replicas }: Setting, batch: number, assumed: Assumptions): DatabaseNeed {
  const commitsPerSecond = rate / batch;
  const writing = commitsPerSecond * assumed.batch + rate * assumed.item;
  const reading = (replicas - 1) * (commitsPerSecond * assumed.readBatch + rate * assumed.readItem);
  const wal = commitsPerSecond * assumed.walBatchBytes + rate * assumed.walItemBytes;
  return { cores: (writing + reading) / 1000, walMiBPerSecond: wal / 2 ** 20, commitsPerSecond };
}

/** How many server processes it takes so that none is busier than this share of the time; undefined where none are enough. */
export function replicasFor(rate: number, watchers: number, share: number, assumed: Assumptions): number | undefined {
  const each = share * 1000 - rate * assumed.follow;
  const shared = rate * (assumed.requestBefore + assumed.requestAfter + watchers * assumed.event);
  return each <= 0 ? undefined : Math.ceil(shared / each);
}

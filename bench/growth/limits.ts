import type { Assumptions, Setting } from './assumptions.js';

/** Renewals a second above which a part saturates, whatever their latency. */
export interface Limits {
  readonly servers: number;
  /** All batches go through one row, one after the other. Full batches carry the most. */
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

/** The resources that PostgreSQL needs. */
export interface DatabaseNeed {
  /** An upper bound of busy cores, for writers and readers: every statement counts entirely as CPU. */
  readonly cores: number;
  readonly walMiBPerSecond: number;
  readonly commitsPerSecond: number;
}

/** `batch` is the number of renewals per batch. */
export function databaseNeed({ rate, replicas }: Setting, batch: number, assumed: Assumptions): DatabaseNeed {
  const commitsPerSecond = rate / batch;
  const writing = commitsPerSecond * assumed.batch + rate * assumed.item;
  const reading = (replicas - 1) * (commitsPerSecond * assumed.readBatch + rate * assumed.readItem);
  const wal = commitsPerSecond * assumed.walBatchBytes + rate * assumed.walItemBytes;
  return { cores: (writing + reading) / 1000, walMiBPerSecond: wal / 2 ** 20, commitsPerSecond };
}

/** The number of server processes so that none is busier than this share of the time; undefined if no number suffices. */
export function replicasFor(rate: number, watchers: number, share: number, assumed: Assumptions): number | undefined {
  const each = share * 1000 - rate * assumed.follow;
  const shared = rate * (assumed.requestBefore + assumed.requestAfter + watchers * assumed.event);
  return each <= 0 ? undefined : Math.ceil(shared / each);
}

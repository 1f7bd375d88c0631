import type pg from 'pg';
import { bigintArray, booleanArray, charArray, textArray } from '../../database/statement/binary-array.js';
import type { Statement } from '../../database/statement/statement.js';
import { timeLeft } from '../../requester.js';
import { objectPath } from '../../object-path.js';
import type { StoreEvent } from '../../object-store.js';
import type { BatchRow } from './batch-sql.js';
import { COMMIT_BATCH, COMMIT_UPDATES } from './commit-batch.js';
import type { CounterState } from '../lineage/counter.repository.js';
import type { PendingWrite } from './pending-write.js';
import type { SequelRow, Sequels } from './sequels.js';

/** The result of a batch; undefined if the counter was not in the expected state, so that nothing was done. */
export interface BatchResult {
  /** The newest revision before the batch. Item n (from 1) has the revision `base + n`, whether or not it took effect. */
  readonly base: number;
  /** The newest revision afterwards. */
  readonly last: number;
  readonly applied: (ord: number) => boolean;
  /** What the batch led to; the revisions follow those of its writes. */
  readonly sequels: readonly StoreEvent[];
}

/** A statement, its values, and how many revisions it takes. */
export interface BatchStatement {
  readonly statement: Statement<BatchRow | SequelRow>;
  readonly values: unknown[];
  readonly revisions: number;
}

/** What a batch is sent with, beside its writes. */
export interface BatchOptions {
  readonly counter: CounterState;
  /** NOTIFY channel; empty sends none. */
  readonly channel: string;
  /** Absent: what writes lead to is not recorded. */
  readonly sequels: Sequels | undefined;
}

/** The statement for these writes. Only a batch that leads to something takes the longer one that records it. */
export function batchStatement(batch: readonly PendingWrite[], { counter, channel, sequels }: BatchOptions): BatchStatement {
  const { segment, segmentStart, lineage } = counter;
  const limits = timeLimits(batch);
  const before = batch.map(({ kind, current }) => (kind === 'M' && current && current.revision <= segmentStart ? current : undefined));
  const values = [
    batch.length,
    segment,
    channel,
    bigintArray(batch.map((write) => write.token)),
    limits ? Math.min(...limits) : Infinity,
    limits ? bigintArray(limits) : NO_LIMITS,
    textArray(batch.map((write) => write.key.resource)),
    textArray(batch.map((write) => write.path)),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.uid))),
    booleanArray(batch.map((write) => (write.kind === 'D' ? null : write.value.terminating))),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.data))),
    bigintArray(batch.map((write) => write.current?.revision ?? null)),
    textArray(before.map((state) => state?.uid ?? null)),
    booleanArray(before.map((state) => state?.terminating ?? null)),
    textArray(before.map((state) => state?.data ?? null)),
    lineage,
  ];
  const changes = sequels?.of(batch);
  if (!changes && batch.every(({ kind }) => kind === 'M')) return { statement: COMMIT_UPDATES, values, revisions: batch.length };
  values.push(
    charArray(batch.map((write) => write.kind)),
    textArray(batch.map((write) => write.container?.resource ?? null)),
    textArray(batch.map(({ container }) => (container ? objectPath(container) : null))),
  );
  if (!sequels || !changes) return { statement: COMMIT_BATCH, values, revisions: batch.length };
  values.push(changes.revisions, changes.value);
  return { statement: sequels.statement, values, revisions: batch.length + changes.revisions };
}

const NO_LIMITS = bigintArray([]);
/** For a write without a limit in a batch with limited ones. */
const LONGEST_MS = 2 ** 40;

/** How long each write may wait for the counter; undefined if that is longer than the statement may take anyway. */
function timeLimits(batch: readonly PendingWrite[]): number[] | undefined {
  const now = performance.now();
  const limits = batch.map(({ requester }) => Math.min(Math.floor(timeLeft(requester, now)), LONGEST_MS));
  return limits.some((limit) => limit < LONGEST_MS) ? limits : undefined;
}

/** Parses the result of a batch; undefined if the counter was not in the expected state, so that nothing was done. */
export function batchResult(
  result: pg.QueryArrayResult<BatchRow | SequelRow>,
  taken: number,
  recorder: Sequels | undefined,
): BatchResult | undefined {
  const row = result.rows[0];
  if (!row) return undefined;
  const [base, revisions] = row;
  const sequels = (row.length > SEQUEL_COLUMN && recorder?.committed(result.rows as SequelRow[])) || NO_EVENTS;
  if (!revisions) return { base, last: base + taken, applied: () => true, sequels };
  const set = new Set(revisions.map(Number));
  return { base, last: base + taken, applied: (ord) => set.has(base + ord), sequels };
}

const NO_EVENTS: readonly StoreEvent[] = [];

/** The first column of a SequelRow that tells of a change. */
const SEQUEL_COLUMN = 3;

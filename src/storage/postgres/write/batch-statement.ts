import type pg from 'pg';
import { bigintArray, booleanArray, charArray, textArray } from '../../database/statement/binary-array.js';
import type { Statement } from '../../database/statement/statement.js';
import { timeLeft } from '../../requester.js';
import { objectPath } from '../../object-path.js';
import type { BatchRow } from './batch-sql.js';
import { COMMIT_BATCH } from './commit-batch.js';
import { COMMIT_UPDATES } from './commit-updates.js';
import type { CounterState } from '../lineage/counter.repository.js';
import type { PendingWrite } from './pending-write.js';

/** The result of a batch; undefined if the counter was not in the expected state, so that nothing was done. */
export interface BatchResult {
  /** The newest revision before the batch. Item n (from 1) has the revision `base + n`, whether or not it took effect. */
  readonly base: number;
  readonly applied: (ord: number) => boolean;
}

/** The statement for these writes, and its values. With an empty `channel`, the commit sends no notification. */
export function batchStatement(
  batch: readonly PendingWrite[],
  counter: CounterState,
  channel: string,
): { statement: Statement<BatchRow>; values: unknown[] } {
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
  if (batch.every(({ kind }) => kind === 'M')) return { statement: COMMIT_UPDATES, values };
  values.push(
    charArray(batch.map((write) => write.kind)),
    textArray(batch.map((write) => write.container?.resource ?? null)),
    textArray(batch.map(({ container }) => (container ? objectPath(container) : null))),
  );
  return { statement: COMMIT_BATCH, values };
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
export function batchResult(result: pg.QueryArrayResult<BatchRow>): BatchResult | undefined {
  const row = result.rows[0];
  if (!row) return undefined;
  const [base, revisions] = row;
  if (!revisions) return { base, applied: () => true };
  const set = new Set(revisions.map(Number));
  return { base, applied: (ord) => set.has(base + ord) };
}

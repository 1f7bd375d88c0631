import type pg from 'pg';
import { bigintArray, booleanArray, charArray, textArray } from '../database/binary-array.js';
import type { Statement } from '../database/statement.js';
import { objectPath } from '../object-path.js';
import { COMMIT_BATCH, COMMIT_UPDATES } from './batch-sql.js';
import type { CounterState } from './counter-state.js';
import type { PendingWrite } from './pending-write.js';

/** What became of a batch: undefined where the counter was not in the expected state, and so nothing was done. */
export interface BatchResult {
  /** The newest revision before. Item n (from 1) has the revision `base + n`, whether it took effect or not. */
  readonly base: number;
  readonly applied: (ord: number) => boolean;
}

/** The statement for these writes, to be sent as it is. `channel` is empty where nobody is to be notified. */
export function batchStatement(
  batch: readonly PendingWrite[],
  counter: CounterState,
  channel: string,
): { statement: Statement; values: unknown[] } {
  const { segment, segmentStart } = counter;
  const before = batch.map(({ kind, current }) => (kind === 'M' && current && current.revision <= segmentStart ? current : undefined));
  const values = [
    batch.length,
    segment,
    channel,
    bigintArray(batch.map((write) => write.token)),
    textArray(batch.map((write) => write.key.resource)),
    textArray(batch.map((write) => write.path)),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.uid))),
    booleanArray(batch.map((write) => (write.kind === 'D' ? null : write.value.terminating))),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.data))),
    bigintArray(batch.map((write) => write.current?.revision ?? null)),
    textArray(before.map((state) => state?.uid ?? null)),
    booleanArray(before.map((state) => state?.terminating ?? null)),
    textArray(before.map((state) => state?.data ?? null)),
  ];
  if (batch.every(({ kind }) => kind === 'M')) return { statement: COMMIT_UPDATES, values };
  values.push(
    charArray(batch.map((write) => write.kind)),
    textArray(batch.map((write) => write.container?.resource ?? null)),
    textArray(batch.map(({ container }) => (container ? objectPath(container) : null))),
  );
  return { statement: COMMIT_BATCH, values };
}

export function batchResult(result: pg.QueryArrayResult<[number, string[] | null]>): BatchResult | undefined {
  const row = result.rows[0];
  if (!row) return undefined;
  const [base, revisions] = row;
  if (!revisions) return { base, applied: () => true };
  const set = new Set(revisions.map(Number));
  return { base, applied: (ord) => set.has(base + ord) };
}

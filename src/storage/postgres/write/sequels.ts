import type { Statement } from '../../database/statement/statement.js';
import type { StoreEvent } from '../../object-store.js';
import type { BatchRow } from './batch-sql.js';
import type { PendingWrite } from './pending-write.js';

/** A BatchRow, what `pg_notify` returns, and what was recorded: as many rows as there are changes, in any order, or one without. */
export type SequelRow = [...row: BatchRow, notified: unknown, ...change: unknown[]];

/** Records what the writes of a batch lead to, in the statement of the batch. */
export interface Sequels {
  /** commit-batch.ts with what records them. Two more parameters: the most revisions that they take, which follow those of the writes, and `value`. */
  readonly statement: Statement<SequelRow>;
  /** Undefined if none of the writes leads to anything. */
  of(batch: readonly PendingWrite[]): { readonly revisions: number; readonly value: string } | undefined;
  /** The changes in the rows of a commit, by revision. Called once for each. */
  committed(rows: readonly SequelRow[]): readonly StoreEvent[];
  /** Whether a batch may have failed because of them. It is then sent without. */
  explain(error: unknown): boolean;
  /** A batch is sent without. */
  lost(): void;
}

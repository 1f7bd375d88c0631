import type pg from 'pg';
import { bigintArray, booleanArray, charArray, textArray } from '../../database/statement/binary-array.js';
import { type Statement, sqlStatement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import type { StoreEvent } from '../../object-store.js';
import { timeLeft } from '../../requester.js';
import type { CounterState } from '../lineage/counter.repository.js';
import { atHome, briefLocks } from '../lineage/lineage-mark.js';
import type { PendingWrite } from './pending-write.js';

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

/** How long a batch that has the counter waits for the lock of a row or a table, in milliseconds: everybody's writes wait with it. */
const LONGEST_LOCK_MS = 200;

/**
 * The parts of the two statements of a batch. Both have the parameters $1 number of writes, $2
 * segment, $3 channel ('' for no notification), $4 tokens, $5 the shortest time that a write may wait for the counter and $6 that of each,
 * in milliseconds, then an array for each of COLUMNS, and $16 lineage. batch-statement.ts provides their values.
 *
 * `waited` is measured once the lock of the counter is held; statement_timestamp() is when the statement arrived.
 *
 * Written in SQL, because each is one text of data-modifying CTEs that read each other's rows, with plans that depend on its exact form.
 */
const COUNTER = counterFor('$1::bigint');

/** Takes as many revisions as `count` says. */
export function counterFor(count: string): string {
  return `counter as (
      update revision_counter c set value = value + ${count}
      where segment = $2::integer and lineage = $16::bigint and ${atHome('c')}
      returning value - ${count} as base, segment,
                extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as waited,
                ${briefLocks(LONGEST_LOCK_MS)}
    )`;
}

/** Whether a write is still within its time limit. If all are, only the first condition is evaluated. */
const IN_TIME = '(counter.waited < $5::float8 or counter.waited < ($6::bigint[])[op.ord])';

/** The arrays of a batch. */
const VALUES = '$7::text[], $8::text[], $9::text[], $10::boolean[], $11::text[], $12::bigint[], $13::text[], $14::boolean[], $15::text[]';
/** Names of the arrays, as columns of `op`. */
const COLUMNS = 'resource, path, uid, terminating, data, expected, previous_uid, previous_terminating, previous';

/** Updates whose object still has the expected revision. */
const MODIFIED = `modified as (
      update objects o set uid = op.uid, revision = counter.base + op.ord, terminating = op.terminating, data = op.data
      from counter, op
      where op.kind = 'M' and o.resource = op.resource and o.path = op.path and o.revision = op.expected and ${IN_TIME}
      returning o.resource, o.path, o.uid, o.revision, o.terminating, o.data,
                op.expected, op.previous_uid, op.previous_terminating, op.previous
    )`;

/** `changes` has the kind, the columns of `modified`, and a row for each write that took effect. */
const logged = (changes: string): string => `changed as (
      insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data,
                                previous_revision, previous_uid, previous_terminating, previous, token)
      select counter.segment, change.*, ($4::bigint[])[change.revision - counter.base] from counter, (${changes}) change
      returning revision
    )`;

/**
 * The result of a batch: the newest revision before it, and null if every write took effect, or else the revisions of those that did. There
 * is no row if the counter was not in the expected state; nothing was done then. Read as an array.
 */
type BatchRow = [base: number, revisions: string[] | null];

/** The final select, of one BatchRow; sends a notification if anything took effect. */
const OUTCOME = outcomeWith('', '');

/** The same with further columns, of what is joined: as many rows as that has. */
export function outcomeWith(columns: string, joined: string): string {
  return `
    select counter.base, result.revisions, result.notified${columns}
    from counter, (
      select case when count(*) < $1 then coalesce(array_agg(revision), '{}') end as revisions,
             case when count(*) > 0 and $3::text <> '' then pg_notify($3, '') end as notified
      from changed
    ) result${joined}`;
}

/** The changes of a batch: what follows on the counter, up to `changed`. */
export const BATCH_CHANGES = `op as materialized (
      select * from unnest(${VALUES}, $17::"char"[], $18::text[], $19::text[])
        with ordinality as op(${COLUMNS}, kind, container_resource, container_path, ord)
    ), container as (
      select n.resource, n.path
      from counter, (select distinct container_resource, container_path from op where container_path is not null) k, objects n
      where n.resource = k.container_resource and n.path = k.container_path and not n.terminating
      for share of n
    ), added as (
      insert into objects (resource, path, uid, revision, terminating, data)
      select op.resource, op.path, op.uid, counter.base + op.ord, op.terminating, op.data
      from counter, op
      where op.kind = 'A' and ${IN_TIME}
        and (op.container_path is null or (op.container_resource, op.container_path) in (select resource, path from container))
      on conflict (resource, path) do nothing
      returning resource, path, uid, revision, terminating, data
    ), ${MODIFIED}, deleted as (
      delete from objects o using counter, op
      where op.kind = 'D' and o.resource = op.resource and o.path = op.path and o.revision = op.expected and ${IN_TIME}
      returning o.resource, o.path, o.uid, counter.base + op.ord as revision, o.terminating, o.data, op.expected
    ), ${logged(`
        select 'M'::"char" as kind, * from modified
        union all
        select 'A', *, null, null, null, null from added
        union all
        select 'D', *, null, null, null from deleted
      `)}`;

/**
 * A batch of writes: one statement, which is one transaction and one round trip.
 *
 * - `counter` is the first lock taken. Every part that writes or locks joins it, so nothing else is locked before. Without the expected
 *   segment and lineage, or outside the place where the lineage is written, it has no row, and nothing happens.
 * - The snapshot is older than the wait for the counter, but rows that are written or locked are checked again in their newest version.
 *   Creations therefore lock their container.
 * - An item whose deadline had passed when the batch got the counter does nothing.
 * - Each item is a compare-and-set and leaves a row in `changed` if it took effect; its revision is `base + ord`.
 */
export const COMMIT_BATCH = sqlStatement<BatchRow, readonly unknown[]>(
  'commit_batch',
  `
    with ${COUNTER}, ${BATCH_CHANGES}${OUTCOME}`,
);

/** The statement for a batch of updates only, such as renewals. It costs PostgreSQL a sixth less CPU time. */
export const COMMIT_UPDATES = sqlStatement<BatchRow, readonly unknown[]>(
  'commit_updates',
  `
    with ${COUNTER}, op as (
      select 'M'::"char" as kind, op.* from unnest(${VALUES}) with ordinality as op(${COLUMNS}, ord)
    ), ${MODIFIED}, ${logged(`select 'M'::"char", * from modified`)}${OUTCOME}`,
);

/** A BatchRow, what `pg_notify` returns, and what was recorded: as many rows as there are changes, in any order, or one without. */
export type SequelRow = [...row: BatchRow, notified: unknown, ...change: unknown[]];

/** Records what the writes of a batch lead to, in the statement of the batch. */
export interface Sequels {
  /** The batch with what records them. Two more parameters: the most revisions that they take, which follow those of the writes, and `value`. */
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

import type pg from 'pg';
import { bigintArray, booleanArray, charArray, textArray } from '../database/binary-array.js';
import type { Statement } from '../database/statement.js';
import { objectPath } from '../object-path.js';
import type { CounterState } from './counter-state.js';
import { CURRENT_TIMELINE } from './counter.repository.js';
import type { PendingWrite } from './pending-write.js';

/**
 * A batch of writes: one statement, which is one transaction and one round trip.
 *
 * - `counter` is the first lock that it takes, and every part that writes or locks joins it, so nothing else is locked before.
 *   Without the expected segment and timeline there is no row, and nothing happens.
 * - The snapshot is older than the wait for the counter, but the rows that are written or locked are checked again in their newest
 *   version. So a container is locked by the creations in it.
 * - Each item is a compare-and-set and leaves a row in `changed` where it took effect; its revision is `base + ord`.
 */
export const COMMIT_BATCH: Statement = {
  name: 'commit_batch',
  text: `
    with counter as (
      update revision_counter set value = value + $1::bigint
      where segment = $2::integer and timeline = ${CURRENT_TIMELINE}
      returning value - $1::bigint as base, segment
    ), op as materialized (
      select * from unnest($3::"char"[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::bigint[],
                           $11::text[], $12::boolean[], $13::text[], $14::text[], $15::text[])
        with ordinality as op(kind, resource, path, uid, terminating, data, expected,
                              previous_uid, previous_terminating, previous, container_resource, container_path, ord)
    ), container as (
      select n.resource, n.path
      from counter, (select distinct container_resource, container_path from op where container_path is not null) k, objects n
      where n.resource = k.container_resource and n.path = k.container_path and not n.terminating
      for share of n
    ), added as (
      insert into objects (resource, path, uid, revision, terminating, data)
      select op.resource, op.path, op.uid, counter.base + op.ord, op.terminating, op.data
      from counter, op
      where op.kind = 'A'
        and (op.container_path is null or (op.container_resource, op.container_path) in (select resource, path from container))
      on conflict (resource, path) do nothing
      returning resource, path, uid, revision, terminating, data
    ), modified as (
      update objects o set uid = op.uid, revision = counter.base + op.ord, terminating = op.terminating, data = op.data
      from counter, op
      where op.kind = 'M' and o.resource = op.resource and o.path = op.path and o.revision = op.expected
      returning o.resource, o.path, o.uid, o.revision, o.terminating, o.data,
                op.expected, op.previous_uid, op.previous_terminating, op.previous
    ), deleted as (
      delete from objects o using counter, op
      where op.kind = 'D' and o.resource = op.resource and o.path = op.path and o.revision = op.expected
      returning o.resource, o.path, o.uid, counter.base + op.ord as revision, o.terminating, o.data, op.expected
    ), changed as (
      insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data,
                                previous_revision, previous_uid, previous_terminating, previous, token)
      select counter.segment, change.*, ($10::bigint[])[change.revision - counter.base] from counter, (
        select 'M'::"char" as kind, * from modified
        union all
        select 'A', *, null, null, null, null from added
        union all
        select 'D', *, null, null, null from deleted
      ) change
      returning revision
    )
    select counter.base, result.revisions,
           case when result.applied > 0 and $16::text <> '' then pg_notify($16, '') end
    from counter, (
      select count(*) as applied, case when count(*) < $1 then coalesce(array_agg(revision), '{}') end as revisions from changed
    ) result`,
};

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
    charArray(batch.map((write) => write.kind)),
    textArray(batch.map((write) => write.key.resource)),
    textArray(batch.map((write) => write.path)),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.uid))),
    booleanArray(batch.map((write) => (write.kind === 'D' ? null : write.value.terminating))),
    textArray(batch.map((write) => (write.kind === 'D' ? null : write.value.data))),
    bigintArray(batch.map((write) => write.current?.revision ?? null)),
    bigintArray(batch.map((write) => write.token)),
    textArray(before.map((state) => state?.uid ?? null)),
    booleanArray(before.map((state) => state?.terminating ?? null)),
    textArray(before.map((state) => state?.data ?? null)),
    textArray(batch.map((write) => write.container?.resource ?? null)),
    textArray(batch.map(({ container }) => (container ? objectPath(container) : null))),
    channel,
  ];
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

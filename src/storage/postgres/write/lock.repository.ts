import type { Database } from '../../database/database.js';
import { charArray, textArray } from '../../database/statement/binary-array.js';
import {
  type Blocker,
  type CounterHolder,
  AGAINST_WRITES,
  describeHolder,
  LIST_LOCK_HOLDERS,
  LOOK_AT_BLOCKERS,
  LOOK_AT_COUNTER,
  MORE_THAN_READING,
} from '../../database/session/lock-holders.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import type { PendingWrite } from './pending-write.js';

/**
 * The numbers, from 1, of the writes whose row (resources $1, paths $2), or whose container's ($3, $4), another transaction has locked. $5:
 * kinds of the writes. Locks each row as the write would, and does not wait. SQL, because Kysely cannot lock rows of a subquery.
 */
const FIND_LOCKED = sqlStatement<{ ord: number }, readonly unknown[]>(
  'find_locked_writes',
  `
  select op.ord::integer as ord
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::"char"[]) with ordinality
    as op(resource, path, container_resource, container_path, kind, ord)
  left join lateral (
    select true as found from objects o where o.resource = op.resource and o.path = op.path and op.kind <> 'A'
  ) target on true
  left join lateral (
    select true as free from objects o where o.resource = op.resource and o.path = op.path and op.kind <> 'A'
    for no key update skip locked
  ) free_target on true
  left join lateral (
    select true as found from objects n where n.resource = op.container_resource and n.path = op.container_path
  ) container on true
  left join lateral (
    select true as free from objects n where n.resource = op.container_resource and n.path = op.container_path
    for share skip locked
  ) free_container on true
  where (target.found and free_target.free is null) or (container.found and free_container.free is null)`,
);

/** What other sessions have locked that writes wait for, and who they are. */
export class LockRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The writes that would wait for a row. */
  async locked(writes: readonly PendingWrite[]): Promise<Set<PendingWrite>> {
    const rows = await this.#database.query(FIND_LOCKED, [
      textArray(writes.map(({ key }) => key.resource)),
      textArray(writes.map(({ path }) => path)),
      textArray(writes.map(({ container }) => container?.resource ?? null)),
      textArray(writes.map(({ container }) => (container ? objectPath(container) : null))),
      charArray(writes.map(({ kind }) => kind)),
    ]);
    return new Set(rows.map(({ ord }) => writes[ord - 1] as PendingWrite));
  }

  /** The transactions that may have locked them, for a log line. */
  async holdersOfRows(): Promise<string[]> {
    return (await this.#database.query(LIST_LOCK_HOLDERS, [['objects'], MORE_THAN_READING])).map(describeHolder);
  }

  /** The transactions for whose locks on tables all writes wait. */
  async holdersOfTables(): Promise<string[]> {
    return (await this.#database.query(LIST_LOCK_HOLDERS, [['objects', 'revision_log'], AGAINST_WRITES])).map(describeHolder);
  }

  /** The sessions that keep this one of ours waiting for the lock of a table. Of those `seen` before, ends the statement of one that waits itself. */
  blockers(writer: number, seen: readonly number[]): Promise<Blocker[]> {
    return this.#database.query(LOOK_AT_BLOCKERS, [writer, seen]);
  }

  /** The session that has locked the revision counter. If it is the transaction `seen` of a SQL client, ends it. */
  async counterHolder(seen: string | undefined): Promise<CounterHolder | undefined> {
    return (await this.#database.query(LOOK_AT_COUNTER, [seen ?? null]))[0];
  }
}

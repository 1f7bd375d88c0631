import { sql } from 'kysely';
import type { Database } from '../../database/database.js';
import { bigintArray, textArray } from '../../database/statement/binary-array.js';
import { bigint, binaryArray, integer } from '../../database/statement/sql-type.js';
import { type RowOf, statement } from '../../database/statement/statement.js';
import { objectPath } from '../../object-path.js';
import type { CounterState } from '../lineage/counter.repository.js';
import type { PendingWrite } from './pending-write.js';

/** The state at the keys $1 (resources) and $2 (paths), and of the containers $3 and $4; a row per key, numbered from 1. */
const READ_TARGETS = statement(
  'read_write_targets',
  [binaryArray, binaryArray, binaryArray, binaryArray],
  (db, [resources, paths, containerResources, containerPaths]) =>
    db
      .selectFrom(
        sql<Target>`unnest(${resources}::text[], ${paths}::text[], ${containerResources}::text[], ${containerPaths}::text[]) with ordinality`.as<'op'>(
          sql`op(resource, path, container_resource, container_path, ord)`,
        ),
      )
      .leftJoin('objects as o', (join) => join.onRef('o.resource', '=', 'op.resource').onRef('o.path', '=', 'op.path'))
      .leftJoin('objects as c', (join) => join.onRef('c.resource', '=', 'op.container_resource').onRef('c.path', '=', 'op.container_path'))
      .select([
        sql<number>`op.ord::integer`.as('ord'),
        'o.revision',
        sql<boolean>`c.path is not null`.as('container_found'),
        'c.terminating as container_terminating',
      ]),
);

/**
 * Which of the writes with the keys $1 and $2 and the tokens $3 are in the log after revision $5, in segment $4 or later.
 *
 * A commit that was interrupted while it waited for a synchronous standby is visible, but may be missing on the standby. This is therefore
 * a transaction with a commit of its own, which waits for the standby as the first one would have: what it reads survives the loss of the
 * primary. The row lock gives it something to commit, and blocks nobody.
 */
const FIND_APPLIED = statement(
  'find_applied_writes',
  [binaryArray, binaryArray, binaryArray, integer, bigint],
  (db, [resources, paths, tokens, segment, since]) =>
    db
      .selectFrom('compaction')
      .crossJoin(
        sql<Sought>`unnest(${resources}::text[], ${paths}::text[], ${tokens}::bigint[]) with ordinality`.as<'op'>(
          sql`op(resource, path, token, ord)`,
        ),
      )
      .leftJoin('objects as o', (join) => join.onRef('o.resource', '=', 'op.resource').onRef('o.path', '=', 'op.path'))
      .leftJoin('revision_log as l', (join) =>
        join
          .on('l.segment', '>=', segment)
          .onRef('l.resource', '=', 'op.resource')
          .onRef('l.path', '=', 'op.path')
          .on('l.revision', '>', since)
          .onRef('l.token', '=', 'op.token'),
      )
      .select([sql<number>`op.ord::integer`.as('ord'), 'l.revision as applied', 'o.revision', 'compaction.revision as compacted'])
      .forKeyShare(['compaction']),
);

/** Rows that both statements build from their arrays. */
interface Sought {
  readonly resource: string;
  readonly path: string;
  readonly token: number;
  readonly ord: number;
}

interface Target extends Omit<Sought, 'token'> {
  readonly container_resource: string | null;
  readonly container_path: string | null;
}

/** The state at the target of a write. */
export type WriteTarget = Omit<RowOf<typeof READ_TARGETS>, 'ord'>;

/** `applied`: the revision with which the write took effect, null if it did not. `revision`: the object's newest one, null if it is gone. */
export type FoundOutcome = Omit<RowOf<typeof FIND_APPLIED>, 'ord'>;

/**
 * Looks up writes afterwards: why one was refused, and whether one with an unknown outcome took effect. Results are in the order of the
 * writes.
 */
export class WriteOutcomeRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The current state at the target of each write. */
  async targets(writes: readonly PendingWrite[]): Promise<WriteTarget[]> {
    const rows = await this.#database.query(READ_TARGETS, [
      textArray(writes.map((write) => write.key.resource)),
      textArray(writes.map((write) => write.path)),
      textArray(writes.map(({ container }) => container?.resource ?? null)),
      textArray(writes.map(({ container }) => (container ? objectPath(container) : null))),
    ]);
    return inOrder(rows);
  }

  /** `since`: the counter before the writes were sent for the first time. */
  async outcomes(writes: readonly PendingWrite[], since: CounterState): Promise<FoundOutcome[]> {
    const rows = await this.#database.query(
      FIND_APPLIED,
      [
        textArray(writes.map((write) => write.key.resource)),
        textArray(writes.map((write) => write.path)),
        bigintArray(writes.map((write) => write.token)),
        since.segment,
        since.value,
      ],
      { isDurable: true },
    );
    return inOrder(rows);
  }
}

function inOrder<Row extends { ord: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.ord - b.ord);
}

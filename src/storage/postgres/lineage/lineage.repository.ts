import { sql } from 'kysely';
import type pg from 'pg';
import { DatabaseStartError } from '../../database/session/database-start-error.js';
import { type QueryBuilder, runStatement, statement } from '../../database/statement/statement.js';
import { BEGIN_LINEAGE } from './begin-lineage.js';
import type { DatabaseHistory } from './judge-history.js';
import { INSTALLATION } from '../../database/session/session-settings.js';
import { selectHead } from './lineage-mark.js';

const place = sql<string>`pg_postmaster_start_time()::text || ' ' || pg_relation_filepath(counter.tableoid)`;
const installation = sql<string | null>`${sql.raw(INSTALLATION)}`;
const selectPlace = (db: QueryBuilder) => selectHead(db).select([installation.as('installation'), place.as('place')]);

const READ_PLACE = statement('read_place', [], selectPlace);
const LOCK_PLACE = statement('lock_place', [], (db) => selectPlace(db).forUpdate(['counter']));
const LIST_LINEAGES = statement('list_lineages', [], (db) =>
  db.selectFrom('revision_lineage').select(['id', 'ended', 'began']).orderBy('began'),
);

/** The history as seen by one connection, with the identity of its running PostgreSQL and files. */
export interface PlacedHistory extends DatabaseHistory {
  readonly place: string;
  /** The installation in these tables; null where no server has named it yet. */
  readonly installation: string | null;
}

/** The parameters of a new lineage. */
export interface NewLineage {
  readonly id: number;
  /** The last revision of the history that it continues. */
  readonly ended: number;
  /** The lineage also starts above this revision. */
  readonly above: number;
  readonly nowMs: number;
}

/** The counter's row and the table of lineages, through one connection. Methods reject with pg's error. */
export class LineageRepository {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** With `lock`, the counter cannot change before the caller's transaction ends. */
  async read(lock: boolean): Promise<PlacedHistory> {
    const [head] = await runStatement(this.#client, lock ? LOCK_PLACE : READ_PLACE, []);
    if (!head) throw new DatabaseStartError('the table revision_counter or compaction is empty: restore a backup');
    const lineages = await runStatement(this.#client, LIST_LINEAGES, []);
    const { newest, lineage, at_home: home, compacted, place, installation } = head;
    return { value: newest, lineage, atHome: home, compacted, lineages, place, installation };
  }

  /** Starts a lineage; the counter must have been locked by `read`. Returns its first revision. */
  async begin({ id, ended, above, nowMs }: NewLineage): Promise<number> {
    const [row] = await runStatement(this.#client, BEGIN_LINEAGE, [id, above, Math.floor(nowMs * 1000), ended]);
    return row?.began ?? 0;
  }
}

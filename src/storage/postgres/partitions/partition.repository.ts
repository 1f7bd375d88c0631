import pg from 'pg';
import { tablesSchema } from '../../database/session/database-schema.js';
import { type Statement, runStatement, sqlStatement } from '../../database/statement/statement.js';

/** How the partitions of a table are made. */
export interface PartitionOptions {
  readonly table: SegmentedTable;
  /** The server's (tablesSchema). */
  readonly schema: string;
  /** Storage parameters. */
  readonly storage?: string;
  /** Of tables whose rows others may delete: what identifies a row for those who replicate them. */
  readonly identity?: 'full';
}

/** The partitions of a table: attached ahead of need, detached and dropped as a whole. */
export class PartitionRepository {
  readonly #client: pg.ClientBase;
  readonly #options: PartitionOptions;

  constructor(client: pg.ClientBase, options: PartitionOptions) {
    this.#client = client;
    this.#options = options;
  }

  list(): Promise<Segment[]> {
    return runStatement(this.#client, listPartitions(this.#options.table), []);
  }

  /**
   * Attaching an existing table leaves writers alone; `create table ... partition of` would lock them out. `also` runs in the same
   * transaction.
   */
  async attachNew(segment: number, also?: () => Promise<unknown>): Promise<void> {
    const { table, storage, identity } = this.#options;
    const partition = this.#name(segment);
    await this.#client.query('begin');
    try {
      const columns = `like ${table} including defaults including generated including constraints, check (segment = ${segment})`;
      await this.#client.query(`create table ${partition} (${columns})${storage ? ` with (${storage})` : ''}`);
      if (identity) await this.#client.query(`alter table ${partition} replica identity ${identity}`);
      await this.#client.query(`alter table ${table} attach partition ${partition} for values in (${segment})`);
      await also?.();
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback');
      throw error;
    }
  }

  /** Detaches and drops a partition, whatever an interrupted attempt has left of it. */
  async remove({ segment, attached, detaching }: Segment): Promise<void> {
    const { table } = this.#options;
    if (detaching) await this.#client.query(`alter table ${table} detach partition ${this.#name(segment)} finalize`);
    else if (attached) await this.#detach(segment);
    // Whoever may use the schema can make a view of the table without any right on it. That must not keep the log.
    await this.#client.query(`drop table ${this.#name(segment)} cascade`);
  }

  /**
   * Waits for its readers without blocking writers. Once begun, it must be finished. It cannot run in a transaction, and behind a pooler
   * only transactions have the search_path, so it names the schema (session-settings.ts).
   */
  async #detach(segment: number): Promise<void> {
    const { table, schema } = this.#options;
    const [whole, partition] = [table, this.#name(segment)].map((name) => `${pg.escapeIdentifier(tablesSchema(schema))}.${name}`);
    await this.#client.query(`alter table ${whole} detach partition ${partition} concurrently`);
  }

  #name(segment: number): string {
    return `${this.#options.table}_${segment}`;
  }
}

/** A table that is partitioned by the number of a segment. */
type SegmentedTable = 'revision_log' | 'lease_term';

/** One partition of a table, attached or not. */
interface Segment {
  readonly segment: number;
  readonly attached: boolean;
  /** A detach was begun and not finished. */
  readonly detaching: boolean;
}

/**
 * All partitions in the schema of the table itself, so that those of another schema are left alone; in ascending order. SQL, because it reads
 * PostgreSQL's catalogue.
 */
function listPartitions(table: SegmentedTable): Statement<Segment, readonly []> {
  return sqlStatement<Segment, readonly []>(
    `list_segments_of_${table}`,
    `
  select substring(c.relname from ${table.length + 2})::integer as segment, i.inhrelid is not null as attached,
         coalesce(i.inhdetachpending, false) as detaching
  from pg_class parent
  join pg_class c on c.relnamespace = parent.relnamespace and c.relkind = 'r' and c.relname ~ '^${table}_[0-9]+$'
  left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = parent.oid
  where parent.oid = '${table}'::regclass
  order by 1`,
  );
}

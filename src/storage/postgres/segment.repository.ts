import pg from 'pg';

/** One partition of the log, attached or not. */
export interface Segment {
  readonly segment: number;
  readonly attached: boolean;
  /** A detach was begun and not finished. */
  readonly detaching: boolean;
}

export interface SegmentStart {
  readonly segment: number;
  readonly startRevision: number;
  readonly ageMs: number;
}

/** In the schema of the log itself, so that another schema's partitions are left alone. */
const LIST_SEGMENTS = `
  select substring(c.relname from 14)::integer as segment, i.inhrelid is not null as attached,
         coalesce(i.inhdetachpending, false) as detaching
  from pg_class log
  join pg_class c on c.relnamespace = log.relnamespace and c.relkind = 'r' and c.relname ~ '^revision_log_[0-9]+$'
  left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = log.oid
  where log.oid = 'revision_log'::regclass
  order by 1`;

const LIST_STARTS = `
  select segment, start_revision as "startRevision", extract(epoch from now() - started_at)::float8 * 1000 as "ageMs"
  from log_segment order by segment`;

/** By compare-and-set, so that two replicas rotate once. */
const ROTATE = `
  with counter as (
    update revision_counter set segment = $2, segment_start = value where segment = $1 returning segment, value
  )
  insert into log_segment (segment, start_revision, started_at) select segment, value, now() from counter returning segment`;

/** Rows are only ever inserted, and gone within minutes with their partition: to vacuum and analyze them is wasted. */
const STORAGE = 'autovacuum_enabled = off, toast.autovacuum_enabled = off';

/** The partitions of the log: made and attached ahead of need, written to in turn, detached and dropped. */
export class SegmentRepository {
  readonly #client: pg.ClientBase;
  readonly #schema: string;

  constructor(client: pg.ClientBase, schema: string) {
    this.#client = client;
    this.#schema = pg.escapeIdentifier(schema);
  }

  async list(): Promise<Segment[]> {
    return (await this.#client.query<Segment & pg.QueryResultRow>(LIST_SEGMENTS)).rows;
  }

  async starts(): Promise<SegmentStart[]> {
    return (await this.#client.query<SegmentStart & pg.QueryResultRow>(LIST_STARTS)).rows;
  }

  /** Attaching an existing table leaves writers alone; `create table ... partition of` would lock them out. */
  async attachNew(segment: number): Promise<void> {
    const table = tableName(segment);
    await this.#client.query('begin');
    try {
      const columns = `like revision_log including defaults, check (segment = ${segment})`;
      await this.#client.query(`create table ${table} (${columns}) with (${STORAGE})`);
      await this.#client.query(`alter table revision_log attach partition ${table} for values in (${segment})`);
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback');
      throw error;
    }
  }

  /** Goes on with another, attached segment; false when somebody else did. */
  async rotate(from: number, to: number): Promise<boolean> {
    return (await this.#client.query(ROTATE, [from, to])).rows.length > 0;
  }

  /**
   * Waits for those who use it, without keeping anybody from writing. Once begun it must be finished. It cannot be in a transaction, where a
   * pooler would find the schema (each-in-transaction.ts).
   */
  async detach(segment: number): Promise<void> {
    const [log, partition] = ['revision_log', tableName(segment)].map((table) => `${this.#schema}.${table}`);
    await this.#client.query(`alter table ${log} detach partition ${partition} concurrently`);
  }

  async finishDetach(segment: number): Promise<void> {
    await this.#client.query(`alter table revision_log detach partition ${tableName(segment)} finalize`);
  }

  async drop(segment: number): Promise<void> {
    await this.#client.query(`drop table ${tableName(segment)}`);
  }

  async forgetStart(segment: number): Promise<void> {
    await this.#client.query('delete from log_segment where segment = $1', [segment]);
  }
}

function tableName(segment: number): string {
  return `revision_log_${segment}`;
}

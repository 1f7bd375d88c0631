import type { Generated } from 'kysely';

/** A PostgreSQL type of columns and parameters. `T` is the JavaScript type of its values, which pg converts. */
export interface SqlType<T> {
  /** The name in information_schema.columns.data_type. */
  readonly name: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Never set; carries the type. */
  readonly value?: T;
}

/** The JavaScript type of a type's values. */
export type ValueOf<Type> = Type extends SqlType<infer T> ? T : never;

function sqlType<T>(name: string): SqlType<T> {
  return { name, nullable: false, hasDefault: false };
}

/** The types that the tables and parameters have. */
export const text = sqlType<string>('text');
const boolean = sqlType<boolean>('boolean');
const smallint = sqlType<number>('smallint');
export const integer = sqlType<number>('integer');
/** A safe integer, as revisions, lineages and tokens are; database.ts configures pg to parse int8 as a number. */
export const bigint = sqlType<number>('bigint');
export const float = sqlType<number>('double precision');
export const timestamp = sqlType<Date>('timestamp with time zone');
/** A role, by its name. */
const role = sqlType<string>('regrole');
/** A transaction, as pg_current_xact_id() names it. */
const transactionId = sqlType<string>('xid8');
/** An array encoded by `binary-array.ts`, of any element type. For parameters only: no column has it. */
export const binaryArray = sqlType<Buffer>('ARRAY');

/** PostgreSQL's one-byte type `"char"`, restricted to the values that a column may have. */
function char<Values extends string>(): SqlType<Values> {
  return sqlType<Values>('"char"');
}

/** The same type with null. */
export function nullable<T>(type: SqlType<T>): SqlType<T | null> {
  return { name: type.name, nullable: true, hasDefault: type.hasDefault };
}

/** The same type for a column that an insert may leave out. */
function defaulted<T>(type: SqlType<T>): SqlType<Generated<T>> {
  return { name: type.name, nullable: type.nullable, hasDefault: true };
}

/**
 * The server's tables as created by `migrations/`: every column with its type. All queries take their types from here, and
 * `test/integration/storage/database-tables.test.ts` compares it with a migrated database.
 */
export const DATABASE_TABLES = {
  objects: { resource: text, path: text, revision: bigint, terminating: boolean, uid: text, data: text },
  revision_counter: {
    id: defaulted(smallint),
    value: bigint,
    segment: integer,
    segment_start: bigint,
    /** Nothing reads the next two columns. */
    timeline: defaulted(text),
    system_identifier: defaulted(text),
    lineage: defaulted(bigint),
    server_started: defaulted(timestamp),
    counter_file: defaulted(text),
  },
  compaction: { id: defaulted(smallint), revision: bigint, holder: defaulted(text), held_until: defaulted(timestamp) },
  log_segment: { segment: integer, start_revision: bigint, started_at: timestamp },
  revision_log: {
    segment: integer,
    revision: bigint,
    previous_revision: nullable(bigint),
    token: nullable(bigint),
    /** Added, modified, deleted. */
    kind: char<'A' | 'M' | 'D'>(),
    terminating: boolean,
    previous_terminating: nullable(boolean),
    resource: text,
    path: text,
    uid: text,
    data: text,
    previous_uid: nullable(text),
    previous: nullable(text),
  },
  revision_lineage: { id: bigint, ended: bigint, began: bigint },
  lease_term: {
    segment: integer,
    namespace: text,
    lease: text,
    token: bigint,
    /** Generated. */
    path: text,
    uid: text,
    lease_uid: text,
    holder: text,
    began: timestamp,
    until: nullable(timestamp),
    reason: nullable(text),
    duration_seconds: nullable(integer),
    transitions: nullable(integer),
    renewed: nullable(timestamp),
    labels: nullable(text),
    lapsed: nullable(boolean),
    lapsed_at: nullable(timestamp),
    lapses: nullable(integer),
    created: bigint,
    revision: bigint,
  },
  lease_term_segment: { segment: integer, started_at: timestamp, terms: defaulted(bigint) },
  lease_announcing: { id: defaulted(smallint), until: timestamp, queued: defaulted(integer) },
  lease_announcement: { id: text, term: text, made: timestamp, due: timestamp, attempts: defaulted(integer) },
  terraform_state: { path: text, newest: defaulted(bigint), bytes: defaulted(bigint) },
  terraform_state_version: {
    path: text,
    version: bigint,
    written: timestamp,
    writer: text,
    serial: nullable(bigint),
    lineage: nullable(text),
    bytes: integer,
    data: text,
  },
  server_state: { name: text, value: text },
  serving_session: { pid: integer, started: timestamp },
  /** For the SQL functions alone, as the five below. */
  lease_access: { role, namespace: text, most_leases: integer },
  lease_token: { path: text, term: text, token: bigint },
  lease_fence: { path: text, term: text, token: bigint },
  lease_assertion: { transaction: transactionId, path: text, token: bigint },
  lease_writer_queue: {},
  lease_seen: { path: text, run: text, revision: bigint, since: timestamp, last: timestamp, watched: bigint },
} as const satisfies Readonly<Record<string, Readonly<Record<string, SqlType<unknown>>>>>;

/** The tables as Kysely sees them. */
export type DatabaseTables = {
  [Table in keyof typeof DATABASE_TABLES]: {
    [Column in keyof (typeof DATABASE_TABLES)[Table]]: ValueOf<(typeof DATABASE_TABLES)[Table][Column]>;
  };
};

/** The indexes of these tables, without those of partitions but for the one that no parent has. `verify` looks for them; the same test compares them. */
export const DATABASE_INDEXES: readonly string[] = [
  'compaction unique (id)',
  'lease_access unique (role, namespace)',
  'lease_announcement (due)',
  'lease_announcement unique (id)',
  'lease_announcing unique (id)',
  'lease_assertion unique (transaction, path, token)',
  'lease_fence unique (path)',
  'lease_seen unique (path)',
  'lease_term (holder)',
  'lease_term (lease, namespace)',
  'lease_term (path)',
  'lease_term_0 unique (namespace, lease)',
  'lease_term_segment unique (segment)',
  'lease_token unique (path)',
  'log_segment unique (segment)',
  'objects unique (resource, path)',
  'revision_counter (segment)',
  'revision_counter unique (id)',
  'revision_lineage unique (id)',
  'revision_log (resource, path, revision)',
  'revision_log (revision)',
  'server_state unique (name)',
  'serving_session unique (pid)',
  'terraform_state unique (path)',
  'terraform_state_version unique (path, version)',
];

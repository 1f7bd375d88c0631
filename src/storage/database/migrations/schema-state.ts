import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type ProgramFolder, programFolder } from '../../../settings/program-files.js';
import type { Database } from '../database.js';
import { searchPath, tablesSchema } from '../session/database-schema.js';
import { DatabaseStartError } from '../session/database-start-error.js';
import type { DatabaseTables } from '../statement/database-tables.js';

/** Has a row for each migration, and one for the state of the functions. */
export const MIGRATION_TABLE = 'schema_migration';

/** The first and the last of the migrations that the baseline replaces. A database that has the last one has the baseline's tables. */
const FIRST_REPLACED = '0001_objects';
const LAST_REPLACED = '0027_locks_without_rights';
/** Whose program migrates earlier states to the last replaced one. */
const UPGRADING_COMMIT = '0eb2ecda';

/** What a database has of this program's schema. */
export interface SchemaState {
  /** Applied migrations, in their order; empty for an empty database. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Migrations of a newer version of the program, with which this one cannot work. */
  readonly unknown: readonly string[];
  /** Whether the replaced migrations have made its tables, so that it adopts the baseline instead of running it. */
  readonly isReplaced: boolean;
}

/** Reads it without changing anything. Rejects, with a DatabaseStartError, a schema that is too old. */
export async function readSchemaState(database: Database, migrations = new SqlMigrations()): Promise<SchemaState> {
  return schemaStateOf(kyselyOf(database), migrations);
}

/** As `readSchemaState`, within a transaction. */
export async function schemaStateOf(db: Kysely<DatabaseTables>, migrations: SqlMigrations): Promise<SchemaState> {
  const rows = await readNames(db);
  const [known, names] = [migrations.known(), migrations.names()];
  if (!rows.includes(FIRST_REPLACED)) {
    return {
      applied: names.filter((name) => rows.includes(name)),
      pending: names.filter((name) => !rows.includes(name)),
      unknown: rows.filter((name) => !known.includes(name)),
      isReplaced: false,
    };
  }
  if (rows.includes(LAST_REPLACED)) {
    return { applied: [], pending: names, unknown: rows.filter((name) => name > LAST_REPLACED), isReplaced: true };
  }
  throw new DatabaseStartError(
    `the database's schema is too old, its newest migration is ${rows.at(-1)}: upgrade it with the program of commit ${UPGRADING_COMMIT} first`,
  );
}

async function readNames(db: Kysely<DatabaseTables>): Promise<string[]> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${MIGRATION_TABLE}) is not null as found`.execute(db);
  if (!rows[0]?.found) return [];
  const names = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name collate "C"`.execute(db);
  return names.rows.map(({ name }) => name);
}

/** Rejects a schema that a newer version of the program has migrated. */
export function refuseNewer(state: SchemaState): SchemaState {
  if (state.unknown.length === 0) return state;
  throw new DatabaseStartError(
    `the database's schema is newer than this program: it has the migration ${state.unknown.join(', ')}: run that version, or revert the migration with it (migrate down --yes)`,
  );
}

/** A Kysely that uses the database's pool. It must not be destroyed; it ends with the database. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  const pool = { connect: () => database.connectForReads(), end: () => Promise.resolve(), options: {} };
  return new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool }) });
}

/** What functions find, whatever the search_path of their caller is: the server's schemas, and no other. */
const functionsFind = (schema: string) => `set local search_path = ${searchPath(schema)}, pg_temp;`;

/** The name of a state of the functions and views: `functions-CHECKSUM`. */
export function isFunctions(name: string): boolean {
  return name.startsWith('functions-');
}

/**
 * The schema as plain SQL. Each line of the file ORDER, which is only ever appended to, is a migration, `NAME.up.sql` and `NAME.down.sql`, or a state
 * of the files below functions/, of which only the last one still exists. Those are applied after all migrations, in the order of their names.
 * In all of these `@extschema@` and `@tables@` stand for the schema and that of its tables, `@schema@` and `@tables_schema@` for their names as
 * strings. A line of the file LOCKS has the name of a migration, or `functions`, and the tables and views
 * that it locks against all others, as far as they exist before it: views first, then tables in the order in which a batch of writes uses them.
 */
export class SqlMigrations {
  readonly #folder: ProgramFolder;

  constructor(folder = programFolder('migrations')) {
    this.#folder = folder;
  }

  /** All lines of ORDER. */
  known(): string[] {
    return this.#lines('ORDER');
  }

  /** What a database of this version has, in the order in which it is applied. */
  names(): string[] {
    const known = this.known();
    return [...known.filter((name) => !isFunctions(name)), ...known.filter(isFunctions).slice(-1)];
  }

  /** What a migration locks of what existed before it. */
  locks(name: string): readonly string[] {
    const lines = this.#lines('LOCKS').map((line) => line.split(' '));
    return lines.find(([key]) => key === name || (key === 'functions' && isFunctions(name)))?.slice(1) ?? [];
  }

  up(name: string, schema: string): string {
    if (!isFunctions(name)) return inSchema(this.#read(`${name}.up.sql`), schema);
    const files = this.#folder.list().filter((file) => file.startsWith('functions/'));
    const texts = files.sort().map((file) => this.#read(file));
    return inSchema([functionsFind(schema), ...texts].join('\n'), schema);
  }

  down(name: string, schema: string): string {
    return inSchema(this.#read(`${name}.down.sql`), schema);
  }

  #lines(file: string): string[] {
    return this.#read(file)
      .split('\n')
      .filter((line) => line !== '');
  }

  #read(file: string): string {
    return this.#folder.read(file).toString();
  }
}

function inSchema(text: string, schema: string): string {
  const tables = tablesSchema(schema);
  return text
    .replaceAll('@extschema@', () => pg.escapeIdentifier(schema))
    .replaceAll('@tables@', () => pg.escapeIdentifier(tables))
    .replaceAll('@schema@', () => pg.escapeLiteral(schema))
    .replaceAll('@tables_schema@', () => pg.escapeLiteral(tables));
}

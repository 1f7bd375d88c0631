import { type Kysely, sql } from 'kysely';
import { DatabaseStartError } from '../session/database-start-error.js';
import type { DatabaseTables } from '../statement/database-tables.js';
import { type SchemaState, MIGRATION_TABLE } from './schema-state.js';
import { type SqlMigrations, isFunctions } from './sql-migrations.js';

const BASELINE = '0001_baseline';

/** Migrations, and the schema that they are for. */
export interface Target {
  readonly migrations: SqlMigrations;
  readonly schema: string;
}

/** Applies a pending migration, or the functions, in the caller's transaction, and notes it. */
export async function applyMigration(
  db: Kysely<DatabaseTables>,
  { migrations, schema }: Target,
  name: string,
  { isReplaced }: SchemaState,
): Promise<void> {
  if (isReplaced) await adoptBaseline(db);
  else await sql.raw(migrations.up(name, schema)).execute(db);
  if (isFunctions(name)) await sql`delete from ${sql.table(MIGRATION_TABLE)} where name like 'functions-%'`.execute(db);
  await note(db, [name]);
}

/**
 * Reverts the newest migration in the caller's transaction. Functions come last and have no text of before: the version before finds them missing,
 * and applies its own when it starts; one from before the baseline works with those that stay, as it does beside this version in an upgrade.
 */
export async function revertMigration(db: Kysely<DatabaseTables>, { migrations, schema }: Target, { applied }: SchemaState): Promise<void> {
  const newest = applied.at(-1);
  if (newest === undefined) return;
  if (newest === BASELINE) {
    await restoreReplaced(db);
  } else {
    if (!isFunctions(newest)) await sql.raw(migrations.down(newest, schema)).execute(db);
    await forget(db, newest);
  }
}

/** Notes that the replaced migrations have made what the baseline makes, and which these were: in the table's comment, for the way back. */
async function adoptBaseline(db: Kysely<DatabaseTables>): Promise<void> {
  await sql`
    do $$ begin
      execute (select format('comment on table ${sql.table(MIGRATION_TABLE)} is %L', string_agg(name, ' ' order by name)) from ${sql.table(MIGRATION_TABLE)});
    end $$`.execute(db);
  await sql`delete from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  // Nothing calls it any more.
  await sql`drop function if exists lease_last_write(jsonb)`.execute(db);
}

async function restoreReplaced(db: Kysely<DatabaseTables>): Promise<void> {
  const { rows } = await sql<{ names: string[] | null }>`
    select string_to_array(obj_description(${MIGRATION_TABLE}::regclass, 'pg_class'), ' ') as names`.execute(db);
  const names = rows[0]?.names;
  if (!names) throw new DatabaseStartError(`${BASELINE} has made this schema, and nothing goes back before it: drop the schema instead`);
  await sql`delete from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  await note(db, names);
}

async function note(db: Kysely<DatabaseTables>, names: readonly string[]): Promise<void> {
  const moment = new Date().toISOString();
  await sql`insert into ${sql.table(MIGRATION_TABLE)} (name, timestamp) select name, ${moment} from unnest(${names}::text[]) name`.execute(
    db,
  );
}

async function forget(db: Kysely<DatabaseTables>, name: string): Promise<void> {
  await sql`delete from ${sql.table(MIGRATION_TABLE)} where name = ${name}`.execute(db);
}

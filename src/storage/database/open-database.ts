import { Kysely, PostgresDialect } from 'kysely';
import type { Logger } from 'pino';
import { checkDatabase } from './check-database.js';
import { checkUrl } from './check-url.js';
import { Database } from './database.js';
import type { DatabaseOptions } from './database-options.js';
import type { DatabaseTables } from './database-tables.js';
import { migrateDatabase } from './migrate-database.js';
import { startFailure } from './start-failure.js';

/** Connects, checks that the server can work there, and migrates. Rejects with a DatabaseStartError. */
export async function openDatabase(options: DatabaseOptions, logger: Logger): Promise<Database> {
  let database: Database | undefined;
  try {
    if (options.url) checkUrl(options.url);
    database = new Database(options, logger);
    const client = await database.connect('start');
    try {
      await checkDatabase(client);
    } finally {
      await client.end();
    }
    await migrateDatabase(kyselyOf(database));
    return database;
  } catch (error) {
    await database?.close();
    throw startFailure(error);
  }
}

/** Ends with the database: it uses the database's pool and must not be destroyed. */
export function kyselyOf(database: Database): Kysely<DatabaseTables> {
  return new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
}

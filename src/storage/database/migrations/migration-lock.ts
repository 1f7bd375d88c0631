import type { DialectAdapter, Kysely } from 'kysely';
import { PostgresAdapter, PostgresDialect, sql } from 'kysely';
import type { DatabaseTables } from '../statement/database-tables.js';

/** An arbitrary number that identifies this lock. */
const LOCK = BigInt('4712086353321764511');

/** Waits until no other process migrates. The lock ends with the transaction. */
export async function lockMigrations(transaction: Kysely<DatabaseTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction);
}

/** Kysely's own lock belongs to the session, and behind a pooler it would outlive its holder. `lockMigrations` replaces it. */
class NoLockAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

/** Kysely's PostgreSQL without its migration lock. */
export class NoLockDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new NoLockAdapter();
  }
}

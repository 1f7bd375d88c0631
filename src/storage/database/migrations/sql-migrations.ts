import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { Migration, MigrationProvider } from 'kysely/migration';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

/**
 * Migrations as plain SQL: `NAME.up.sql` and `NAME.down.sql` for each name in the file ORDER, which is only ever appended to. A line of the file
 * LOCKS has the name of a migration and the tables and views of earlier ones that it locks against all others: views first, then tables in
 * the order in which a batch of writes uses them.
 */
export class SqlMigrations implements MigrationProvider {
  readonly #dir: string;

  constructor(dir = MIGRATIONS_DIR) {
    this.#dir = dir;
  }

  /** The names in ORDER, in their order. */
  async names(): Promise<string[]> {
    return this.#lines('ORDER');
  }

  /** What each migration locks; one without an entry locks nothing that existed before it. */
  async locks(): Promise<ReadonlyMap<string, readonly string[]>> {
    const lines = await this.#lines('LOCKS');
    return new Map(
      lines.map((line) => {
        const [name = '', ...relations] = line.split(' ');
        return [name, relations];
      }),
    );
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const names = await this.names();
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await this.#migration(name)] as const)));
  }

  async #migration(name: string): Promise<Migration> {
    const [up, down] = await Promise.all([this.#read(`${name}.up.sql`), this.#read(`${name}.down.sql`)]);
    return {
      up: async (db) => void (await sql.raw(up).execute(db)),
      down: async (db) => void (await sql.raw(down).execute(db)),
    };
  }

  async #lines(file: string): Promise<string[]> {
    return (await this.#read(file)).split('\n').filter((line) => line !== '');
  }

  #read(file: string): Promise<string> {
    return readFile(`${this.#dir}${file}`, 'utf8');
  }
}

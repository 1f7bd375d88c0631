import { readIfPresent, writePrivateFile } from '../../../settings/given-files.js';
import type { Database } from '../database.js';
import { INSTALLATION_NAME } from '../session/session-settings.js';
import { text } from '../statement/database-tables.js';
import { statement } from '../statement/statement.js';
import { sql } from 'kysely';
import { DatabaseStartError } from '../session/database-start-error.js';

const NAME_INSTALLATION = statement('name_installation', [], (db) =>
  db
    .insertInto('server_state')
    .values({ name: sql.lit(INSTALLATION_NAME), value: sql<string>`gen_random_uuid()::text` })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);
const READ_INSTALLATION = statement('read_installation', [text], (db, [name]) =>
  db.selectFrom('server_state').select('value').where('name', '=', name),
);

/** The name of the installation in these tables, given by the first server. A backup has it, so that what is restored is the same one. */
export async function installationOf(database: Database): Promise<string> {
  const read = () => database.query(READ_INSTALLATION, [INSTALLATION_NAME]);
  let [row] = await read();
  if (!row) {
    await database.query(NAME_INSTALLATION, []);
    [row] = await read();
  }
  if (!row) throw new DatabaseStartError('the table server_state does not keep what is written to it');
  return row.value;
}

/**
 * A file in the data directory that says which installation a server has served from there, and where. Where that is missing, whether it was renamed,
 * or dropped, or the database is another one, is not for a server to guess: an empty one would tell all clients that nothing exists.
 */
export class InstallationNote {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** DatabaseStartError if a server has served an installation, so that none is made here unasked. */
  refuseNew(database: Database): void {
    const [, place] = this.#read();
    if (place === undefined) return;
    throw new DatabaseStartError(
      `${placeOf(database)} has no tables of coordination-apiserver, but a server with this data directory has served some in ${place}: ` +
        `rename or restore what is missing, or remove ${this.#file} to have the next start make new ones, without any lease`,
    );
  }

  /** Notes what is served from now on. Returns a warning if it was another installation in the same place before. */
  write(database: Database, installation: string): string | undefined {
    const [before, place] = this.#read();
    const here = placeOf(database);
    if (before !== installation || place !== here) writePrivateFile(this.#file, `${installation}\n${here}\n`);
    if (before === undefined || before === installation || place !== here) return undefined;
    return `${here} has another installation than the one that this data directory was used with: serving it`;
  }

  #read(): string[] {
    return (readIfPresent(this.#file) ?? '').split('\n').filter((line) => line !== '');
  }
}

const placeOf = (database: Database): string => `the schema ${database.schema} of ${database.place}`;

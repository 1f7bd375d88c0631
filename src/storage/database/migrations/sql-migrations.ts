import pg from 'pg';
import { programFolder } from '../../../settings/program-files.js';
import type { ProgramFolder } from '../../../settings/program-folder.js';
import { searchPath, tablesSchema } from '../session/database-schema.js';

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

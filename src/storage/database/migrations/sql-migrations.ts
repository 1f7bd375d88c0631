import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

/** What functions find, whatever the search_path of their caller is: this schema, and no other. */
const FUNCTIONS_FIND = `select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);`;

/** The name of a state of the functions and views: `functions-CHECKSUM`. */
export function isFunctions(name: string): boolean {
  return name.startsWith('functions-');
}

/**
 * The schema as plain SQL. Each line of the file ORDER, which is only ever appended to, is a migration, `NAME.up.sql` and `NAME.down.sql`, or a state
 * of the files below functions/, of which only the last one still exists. Those are applied after all migrations, in the order of their names,
 * with the schema's name in place of `@extschema@`. A line of the file LOCKS has the name of a migration, or `functions`, and the tables and views
 * that it locks against all others, as far as they exist before it: views first, then tables in the order in which a batch of writes uses them.
 */
export class SqlMigrations {
  readonly #dir: string;

  constructor(dir = MIGRATIONS_DIR) {
    this.#dir = dir;
  }

  /** All lines of ORDER. */
  async known(): Promise<string[]> {
    return this.#lines('ORDER');
  }

  /** What a database of this version has, in the order in which it is applied. */
  async names(): Promise<string[]> {
    const known = await this.known();
    return [...known.filter((name) => !isFunctions(name)), ...known.filter(isFunctions).slice(-1)];
  }

  /** What a migration locks of what existed before it. */
  async locks(name: string): Promise<readonly string[]> {
    const lines = (await this.#lines('LOCKS')).map((line) => line.split(' '));
    return lines.find(([key]) => key === name || (key === 'functions' && isFunctions(name)))?.slice(1) ?? [];
  }

  /** `schema` is quoted. */
  async up(name: string, schema: string): Promise<string> {
    if (!isFunctions(name)) return this.#read(`${name}.up.sql`);
    const files = (await readdir(`${this.#dir}functions`)).sort();
    const texts = await Promise.all(files.map((file) => this.#read(`functions/${file}`)));
    return [FUNCTIONS_FIND, ...texts].join('\n').replaceAll('@extschema@', () => schema);
  }

  down(name: string): Promise<string> {
    return this.#read(`${name}.down.sql`);
  }

  async #lines(file: string): Promise<string[]> {
    return (await this.#read(file)).split('\n').filter((line) => line !== '');
  }

  #read(file: string): Promise<string> {
    return readFile(`${this.#dir}${file}`, 'utf8');
  }
}

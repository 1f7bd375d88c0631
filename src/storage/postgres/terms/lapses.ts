import type { Database } from '../../database/database.js';
import { READ_CLOCK } from '../../database/session/database-clock.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { Announcements } from './announcements.js';
import type { LapseChange } from '../../term-change.js';
import type { TermWriter } from './term-writer.js';

/** A page of open terms that have lapsed, after a path ($1); $2 the most. */
const LIST_LAPSED_TERMS = sqlStatement<{ path: string }, readonly [after: string, limit: number]>(
  'list_lapsed_terms',
  'select path from lease_term where segment = 0 and lapsed and path > $1 order by path limit $2',
);

const PAGE = 5_000;

/** Terms whose holders are late. Methods reject with StorageError Unavailable. */
export class Lapses {
  readonly announcements: Announcements;
  readonly #database: Database;
  readonly #writer: TermWriter;

  constructor(database: Database, writer: TermWriter) {
    this.#database = database;
    this.#writer = writer;
    this.announcements = new Announcements(database);
  }

  /** Answers the leases, as `namespace/name`, whose terms were changed. Unavailable: some may have been. */
  async change(changes: readonly LapseChange[]): Promise<Set<string>> {
    return new Set((await this.#writer.change(changes)).map(leaseOf));
  }

  /** The leases, as `namespace/name`, whose terms have lapsed and are open. */
  async list(): Promise<Set<string>> {
    const leases = new Set<string>();
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: { path: string }[] = await this.#database.query(LIST_LAPSED_TERMS, [after, PAGE]);
      for (const { path } of page) leases.add(leaseOf(path));
      after = page.length === PAGE ? page.at(-1)?.path : undefined;
    }
    return leases;
  }

  /** The database's clock, in milliseconds. */
  async clock(): Promise<number> {
    return (await this.#database.query(READ_CLOCK, []))[0]?.now ?? NaN;
  }
}

/** A term is named after its lease and its token. */
function leaseOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

import type { Database } from '../../database/database.js';
import { Announcements } from './announcements.js';
import type { LapseChange } from '../../lapse-change.js';
import { LIST_LAPSED_TERMS, READ_CLOCK } from './lapse-statements.js';
import type { TermWriter } from './term-writer.js';

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
    const rows = await this.#writer.lapse(changes);
    return new Set(rows.map(({ path }) => path.slice(0, path.lastIndexOf('.'))));
  }

  /** The leases, as `namespace/name`, whose terms have lapsed and are open. */
  async list(): Promise<Set<string>> {
    const leases = new Set<string>();
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: { namespace: string; lease: string; path: string }[] = await this.#database.query(LIST_LAPSED_TERMS, [after, PAGE]);
      for (const { namespace, lease } of page) leases.add(`${namespace}/${lease}`);
      after = page.length === PAGE ? page.at(-1)?.path : undefined;
    }
    return leases;
  }

  /** The database's clock, in milliseconds. */
  async clock(): Promise<number> {
    return (await this.#database.query(READ_CLOCK, []))[0]?.now ?? NaN;
  }
}

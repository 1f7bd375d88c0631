import pg from 'pg';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { eventually } from '../../support/eventually.js';
import { type TestDatabase, createTestDatabase } from '../../support/test-database.js';
import { ClientProcess } from '../client-process.js';
import { jdbcUrl } from '../race/framework-programs.js';

const LEASE = `'default', 'nightly-report'`;
const LEADING = /^leading (\d+)$/;

/** A database without a server, and programs of docs/clients/sql.md that use its lease. */
export class SqlSite {
  readonly databaseUrl: string;
  /** By TCP: not every driver knows sockets. */
  readonly url: string;
  readonly #database: TestDatabase;
  readonly #client: pg.Client;
  readonly #proxy: DatabaseProxy;
  readonly #command: readonly string[];
  readonly #jdbc: boolean;
  readonly #processes: ClientProcess[] = [];

  private constructor(database: TestDatabase, proxy: DatabaseProxy, command: readonly string[], jdbc: boolean) {
    this.#database = database;
    this.databaseUrl = database.url;
    this.#client = new pg.Client(database.url);
    this.#proxy = proxy;
    this.url = proxy.url(database.url);
    this.#command = command;
    this.#jdbc = jdbc;
  }

  static async open(command: readonly string[], jdbc: boolean): Promise<SqlSite> {
    const database = await createTestDatabase();
    const site = new SqlSite(database, await DatabaseProxy.start(database.url), command, jdbc);
    await site.#client.connect();
    await site.#client.query(`call coordination.lease_create_namespace('default')`);
    await site.#client.query(`create table public.account (name text primary key, balance integer not null)`);
    await site.#client.query(`insert into public.account values ('a', 0)`);
    return site;
  }

  start(url: string): ClientProcess {
    const [program = '', ...args] = this.#command;
    const started = new ClientProcess(program, args, { ...process.env, DATABASE_URL: this.#jdbc ? jdbcUrl(url) : url });
    this.#processes.push(started);
    return started;
  }

  async token(leader: ClientProcess): Promise<string> {
    return LEADING.exec(await leader.line(LEADING))?.[1] ?? '';
  }

  end(program: ClientProcess): Promise<number | NodeJS.Signals> {
    return eventually(
      () => program.ended,
      () => `still runs:\n${program.lines.join('\n')}`,
    );
  }

  /** Waits until the holder has renewed the lease. */
  async renewed(): Promise<void> {
    const renewed = async () => {
      const [row] = await this.#rows<{ acquired: Date; renewed: Date }>(`select acquired, renewed from coordination.lease_get(${LEASE})`);
      return row !== undefined && row.renewed > row.acquired;
    };
    await eventually(renewed, () => 'the lease is not renewed');
  }

  /** Waits until the holder writes. */
  async written(): Promise<void> {
    const before = await this.balance();
    await eventually(
      async () => (await this.balance()) > before,
      () => 'nothing is written',
    );
  }

  async balance(): Promise<number> {
    return (await this.#rows<{ balance: number }>('select balance from public.account'))[0]?.balance ?? -1;
  }

  /** Takes the lease from its holder, which does not know. Returns the balance that no earlier holder can change. */
  async seize(): Promise<number> {
    const [held] = await this.#rows<{ holder: string }>(`select holder from coordination.lease_get(${LEASE})`);
    await this.#client.query(`call coordination.lease_release(${LEASE}, $1)`, [held?.holder]);
    const [taken] = await this.#rows<{ acquired: boolean; token: string }>(`call coordination.lease_acquire(${LEASE}, 'another', '1 h')`);
    if (!taken?.acquired) throw new Error('the lease was acquired by somebody else');
    await this.#client.query(`select coordination.lease_assert(${LEASE}, $1)`, [taken.token]);
    return this.balance();
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
    await this.#client.end();
    await this.#proxy.close();
    await this.#database.drop();
  }

  async #rows<Row extends object>(text: string): Promise<Row[]> {
    return (await this.#client.query<Row>(text)).rows;
  }
}

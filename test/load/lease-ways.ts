import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { leasesPath, leaseText, LeaseSession, makeLeases, versionOf } from './lease-session.js';
import { print } from './print-figures.js';
import { ShellWay } from './shell-way.js';

const PAUSE_MS = 50;
/** A command under a lock is a process, twice. */
const SHELL_PAUSE_MS = 1000;
const TIMEOUT_MS = 5000;
const NAMESPACE = 'ways';

type Shell = 'lock at the server' | 'lock at the database' | 'held at the server' | 'held at the database';
type Way = 'HTTP' | 'lease_renew' | 'fenced write' | Shell;

/** How often each way has to work in a row before all is well again. Those that are held end only with a failure. */
const ENOUGH: Partial<Record<Way, number>> = {
  HTTP: 10,
  lease_renew: 10,
  'fenced write': 10,
  'lock at the server': 2,
  'lock at the database': 2,
};

/**
 * A lease renewed over HTTP, one renewed over SQL, rows written under the token of the latter, and commands under locks at the server and at the
 * database: short ones, each again and again, and one of each that goes on as long as its lock is held.
 */
export class LeaseWays {
  readonly #server: string;
  readonly #token: string;
  readonly #pool: pg.Pool;
  readonly #shells: Readonly<Record<Shell, ShellWay>>;
  #session: LeaseSession;
  readonly #answers = new Map<Way, Map<string, number>>();
  /** How often each has worked since the last failure of any. */
  readonly #worked = new Map<Way, number>();
  #stopped = false;
  #version = '';
  #fencingToken = '';
  /** Milliseconds that renewals over HTTP took. */
  #took: number[] = [];
  /** What was acknowledged: revisions, and ids of rows. */
  #renewedTo = 0;
  readonly #rows: number[] = [];

  private constructor(server: string, token: string, databaseUrl: string) {
    this.#server = server;
    this.#token = token;
    this.#session = new LeaseSession(server, token);
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 4, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
    this.#pool.on('error', () => undefined); // an idle connection that breaks: the next call fails with the error
    const [atServer, atDatabase] = [
      [`--server=${server}`, `--token=${token}`, '--insecure-skip-tls-verify'],
      [`--database-url=${databaseUrl}`],
    ];
    this.#shells = {
      'lock at the server': new ShellWay('short-http', atServer),
      'lock at the database': new ShellWay('short-sql', atDatabase),
      'held at the server': new ShellWay('long-http', atServer),
      'held at the database': new ShellWay('long-sql', atDatabase),
    };
  }

  static async open(server: string, token: string, databaseUrl: string): Promise<LeaseWays> {
    const ways = new LeaseWays(server, token, databaseUrl);
    [ways.#version = ''] = await makeLeases(ways.#session, NAMESPACE, 1);
    await ways.#pool.query(`create table public.written (id bigserial primary key, token bigint not null)`);
    await ways.#pool.query(`create trigger fence before insert or update or delete on public.written
      for each row execute function coordination.fence('default/sql')`);
    await ways.#acquire();
    return ways;
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    await Promise.all([
      this.#repeat('HTTP', () => this.#put()),
      this.#repeat('lease_renew', () => this.#renew()),
      this.#repeat('fenced write', () => this.#write()),
      this.#command('lock at the server', 'true'),
      this.#command('lock at the database', 'true'),
      this.#command('held at the server', 'sleep', '100000'),
      this.#command('held at the database', 'sleep', '100000'),
    ]);
  }

  stop(): void {
    this.#stopped = true;
    for (const shell of Object.values(this.#shells)) void shell.stop();
  }

  /** What each was told since the last call. */
  print(phase: string): void {
    console.log([`${phase}:`, ...this.answers()].join('\n  '));
    if (this.#took.length > 0) print('  over HTTP', this.#took, 'renewals');
    this.#took = [];
    this.#answers.clear();
    this.#worked.clear();
  }

  answers(): string[] {
    return [...this.#answers].flatMap(([way, answers]) => [...answers].map(([answer, count]) => `${way}: ${count} times ${answer}`));
  }

  allWork(): boolean {
    return Object.entries(ENOUGH).every(([way, times]) => (this.#worked.get(way as Way) ?? 0) > times);
  }

  /** Says what was acknowledged and is not there, with which the process fails. */
  async reportLost(): Promise<void> {
    const lost = await this.#lost();
    console.log(lost.length === 0 ? 'nothing acknowledged is lost' : `lost:\n  ${lost.join('\n  ')}`);
    process.exitCode = lost.length === 0 ? 0 : 1;
  }

  async #lost(): Promise<string[]> {
    const { rows: objects } = await this.#pool.query<{ revision: string }>(
      `select revision::text from coordination.objects where path = '${NAMESPACE}/lease-0' and resource like 'leases.%'`,
    );
    const { rows } = await this.#pool.query<{ id: string }>(
      `select id::text from unnest($1::bigint[]) as id where id not in (select id from public.written)`,
      [this.#rows],
    );
    const renewal = Number(objects[0]?.revision) >= this.#renewedTo ? [] : [`the renewal of revision ${this.#renewedTo}`];
    return [...renewal, ...rows.map(({ id }) => `the row ${id}`)];
  }

  async close(): Promise<void> {
    this.#session.close();
    await this.#pool.end();
  }

  async #repeat(way: Way, once: () => Promise<string>, pauseMs = PAUSE_MS): Promise<void> {
    while (!this.#stopped) {
      const answer = await once().catch((error: unknown) => told(error as Error));
      if (this.#stopped) return;
      const answers = this.#answers.get(way) ?? new Map<string, number>();
      this.#answers.set(way, answers.set(answer, (answers.get(answer) ?? 0) + 1));
      if (answer === 'done') this.#worked.set(way, (this.#worked.get(way) ?? 0) + 1);
      else this.#worked.clear();
      await sleep(pauseMs);
    }
  }

  #command(way: Shell, ...command: readonly string[]): Promise<void> {
    return this.#repeat(way, () => this.#shells[way].run(...command), SHELL_PAUSE_MS);
  }

  async #put(): Promise<string> {
    const began = performance.now();
    const { status, text } = await this.#session.send('PUT', `${leasesPath(NAMESPACE)}/lease-0`, leaseText('lease-0', this.#version));
    if (status === 200) {
      this.#took.push(performance.now() - began);
      this.#version = versionOf(text);
      this.#renewedTo = Number(this.#version);
      return 'done';
    }
    if (status === 0) {
      this.#session.close();
      this.#session = new LeaseSession(this.#server, this.#token);
      return 'the connection failed';
    }
    // an earlier write whose outcome was unknown has taken effect
    if (status === 409) this.#version = versionOf((await this.#session.send('GET', `${leasesPath(NAMESPACE)}/lease-0`)).text);
    return `${status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text}`.slice(0, 160);
  }

  async #acquire(): Promise<void> {
    await this.#pool.query(`call coordination.lease_create_namespace('default')`);
    const { rows } = await this.#pool.query<{ token: string }>(`call coordination.lease_acquire('default', 'sql', 'a', '1 h')`);
    this.#fencingToken = rows[0]?.token ?? '';
  }

  async #renew(): Promise<string> {
    const { rows } = await this.#pool.query<{ renewed: boolean }>(`call coordination.lease_renew('default', 'sql', 'a', $1)`, [
      this.#fencingToken,
    ]);
    return rows[0]?.renewed ? 'done' : 'not renewed';
  }

  async #write(): Promise<string> {
    const { rows } = await this.#pool.query<{ id: string }>('insert into public.written (token) values ($1) returning id::text', [
      this.#fencingToken,
    ]);
    this.#rows.push(Number(rows[0]?.id));
    return 'done';
  }
}

function told(error: Error & { code?: string }): string {
  return `${error.code ?? ''} ${error.message}`
    .trim()
    .replace(/"base\/[\d/]+"/, 'a file')
    .slice(0, 160);
}

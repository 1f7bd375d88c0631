import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { leasesPath, leaseText, LeaseSession, makeLeases, versionOf } from './lease-session.js';

const PAUSE_MS = 50;
const TIMEOUT_MS = 5000;
const NAMESPACE = 'ways';

type Way = 'HTTP' | 'lease_renew' | 'fenced write';

/** A lease renewed over HTTP, one renewed over SQL, and rows written under the token of the latter, each again and again. */
export class LeaseWays {
  readonly #server: string;
  readonly #token: string;
  readonly #pool: pg.Pool;
  #session: LeaseSession;
  readonly #answers = new Map<Way, Map<string, number>>();
  /** How often each has worked since the last failure of any. */
  readonly #worked = new Map<Way, number>();
  #stopped = false;
  #version = '';
  #fencingToken = '';
  /** What was acknowledged: revisions, and ids of rows. */
  #renewedTo = 0;
  readonly #rows: number[] = [];

  private constructor(server: string, token: string, databaseUrl: string) {
    this.#server = server;
    this.#token = token;
    this.#session = new LeaseSession(server, token);
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 4, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
    this.#pool.on('error', () => undefined); // an idle connection that breaks: the next call fails with the error
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
    ]);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What each was told since the last call. */
  print(phase: string): void {
    console.log([`${phase}:`, ...this.answers()].join('\n  '));
    this.#answers.clear();
    this.#worked.clear();
  }

  answers(): string[] {
    return [...this.#answers].flatMap(([way, answers]) => [...answers].map(([answer, count]) => `${way}: ${count} times ${answer}`));
  }

  allWork(): boolean {
    return (['HTTP', 'lease_renew', 'fenced write'] as const).every((way) => (this.#worked.get(way) ?? 0) > 10);
  }

  /** What was acknowledged and is not there. */
  async lost(): Promise<string[]> {
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

  async #repeat(way: Way, once: () => Promise<string>): Promise<void> {
    while (!this.#stopped) {
      const answer = await once().catch((error: unknown) => told(error as Error));
      const answers = this.#answers.get(way) ?? new Map<string, number>();
      this.#answers.set(way, answers.set(answer, (answers.get(answer) ?? 0) + 1));
      if (answer === 'done') this.#worked.set(way, (this.#worked.get(way) ?? 0) + 1);
      else this.#worked.clear();
      await sleep(PAUSE_MS);
    }
  }

  async #put(): Promise<string> {
    const { status, text } = await this.#session.send('PUT', `${leasesPath(NAMESPACE)}/lease-0`, leaseText('lease-0', this.#version));
    if (status === 200) {
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

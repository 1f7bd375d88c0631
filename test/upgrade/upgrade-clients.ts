import https from 'node:https';
import pg from 'pg';
import { type Answer, ask } from '../support/http-client.js';
import type { ServerProcess } from '../support/server-process.js';
import { WatchClient } from '../support/watch-client.js';

export const NAMESPACE = 'upgraded';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

interface Lease {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly holderIdentity: string; readonly leaseTransitions: number };
}

/** The servers that clients may use at the moment. */
export class Fleet {
  readonly #servers = new Set<ServerProcess>();
  readonly #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

  add(server: ServerProcess): void {
    this.#servers.add(server);
  }

  remove(server: ServerProcess): void {
    this.#servers.delete(server);
  }

  has(server: ServerProcess): boolean {
    return this.#servers.has(server);
  }

  pick(): ServerProcess | undefined {
    const servers = [...this.#servers];
    return servers[Math.floor(Math.random() * servers.length)];
  }

  /** Rejects if the connection fails. */
  ask(server: ServerProcess, method: string, path: string, body?: object): Promise<Answer> {
    return ask(`${server.url}${path}`, { method, body, agent: this.#agent, timeoutMs: 15_000 });
  }

  /** The revision of the present state. */
  async newest(server: ServerProcess): Promise<string> {
    const { text } = await this.ask(server, 'GET', LEASES);
    return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A write that was acknowledged. */
interface Acknowledged {
  readonly name: string;
  readonly revision: string;
}

/** What the clients of one kind saw. */
export interface Figures {
  writes: number;
  longestMs: number;
  /** When the longest wait began, in ms since the epoch. */
  longestAt: number;
}

/**
 * Keeps a lease, and changes its holder with every `takeoverEvery`-th write. Each write counts one up (in leaseTransitions), so that a write
 * that is lost or done twice shows.
 */
export class LeaseKeeper {
  readonly figures: Figures = { writes: 0, longestMs: 0, longestAt: 0 };
  readonly acknowledged: Acknowledged[] = [];
  readonly problems: string[] = [];
  readonly #fleet: Fleet;
  readonly #name: string;
  readonly #takeoverEvery: number;
  #lease: Lease | undefined;
  #count = 0;

  constructor(fleet: Fleet, name: string, takeoverEvery: number) {
    this.#fleet = fleet;
    this.#name = name;
    this.#takeoverEvery = takeoverEvery;
  }

  get holder(): string {
    return `holder-${Math.floor(this.#count / this.#takeoverEvery)}`;
  }

  get name(): string {
    return this.#name;
  }

  /** The number of the last write that is known to be done. */
  get count(): number {
    return this.#count;
  }

  async write(): Promise<void> {
    const server = this.#fleet.pick();
    if (!server) return;
    const spec = {
      holderIdentity: `holder-${Math.floor((this.#count + 1) / this.#takeoverEvery)}`,
      leaseDurationSeconds: 30,
      leaseTransitions: this.#count + 1,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const metadata = { name: this.#name, ...(this.#lease && { resourceVersion: this.#lease.metadata.resourceVersion }) };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    const start = Date.now();
    const answer = await (
      this.#lease ? this.#fleet.ask(server, 'PUT', `${LEASES}/${this.#name}`, body) : this.#fleet.ask(server, 'POST', LEASES, body)
    ).catch((error: unknown) => ({ status: 0, text: String(error) }));
    // what a server leaves open when it is stopped is no wait for the database
    const took = Date.now() - start;
    if (took > this.figures.longestMs && (answer.status !== 0 || this.#fleet.has(server))) {
      Object.assign(this.figures, { longestMs: took, longestAt: start });
    }
    if (answer.status === 200 || answer.status === 201) return this.#done(JSON.parse(answer.text) as Lease);
    if (this.#fleet.has(server)) this.problems.push(`${this.#name}: ${answer.status} ${answer.text.slice(0, 300)}`);
    await this.#lookUp();
  }

  /** After an answer that leaves it open whether the write was done. */
  async #lookUp(): Promise<void> {
    const server = this.#fleet.pick();
    const answer = server && (await this.#fleet.ask(server, 'GET', `${LEASES}/${this.#name}`).catch(() => undefined));
    if (answer?.status !== 200) return;
    const lease = JSON.parse(answer.text) as Lease;
    if (lease.spec.leaseTransitions === this.#count) this.#lease = lease;
    else if (lease.spec.leaseTransitions === this.#count + 1) this.#done(lease);
    else this.problems.push(`${this.#name}: ${this.#count} writes were done, and ${lease.spec.leaseTransitions} are stored`);
  }

  #done(lease: Lease): void {
    if (lease.spec.leaseTransitions !== this.#count + 1) {
      this.problems.push(`${this.#name}: answered ${lease.spec.leaseTransitions} after ${this.#count}`);
    }
    this.#count = lease.spec.leaseTransitions;
    this.#lease = lease;
    this.figures.writes++;
    this.acknowledged.push({ name: this.#name, revision: lease.metadata.resourceVersion });
  }
}

/** Takes, renews and frees a lease in SQL. */
export class SqlKeeper {
  readonly figures: Figures = { writes: 0, longestMs: 0, longestAt: 0 };
  readonly problems: string[] = [];
  readonly #client: pg.Client;
  readonly #name: string;

  constructor(url: string, name: string) {
    this.#client = new pg.Client(url);
    this.#client.on('error', (error) => this.problems.push(`${name}: ${error.message}`));
    this.#name = name;
  }

  async open(useSchema: (client: pg.Client) => Promise<void>): Promise<void> {
    await this.#client.connect();
    await useSchema(this.#client);
  }

  /** Does nothing in a schema without the functions. */
  async write(): Promise<void> {
    const { rows } = await this.#client.query<{ there: boolean }>(`select to_regproc('lease_get') is not null as there`);
    if (!rows[0]?.there) return;
    const steps = [
      `call lease_acquire('${NAMESPACE}', '${this.#name}', 'sql', '30s')`,
      `call lease_renew('${NAMESPACE}', '${this.#name}', 'sql')`,
      `call lease_release('${NAMESPACE}', '${this.#name}', 'sql')`,
    ];
    const start = Date.now();
    try {
      await this.#client.query(steps[this.figures.writes % steps.length] ?? '');
      this.figures.writes++;
    } catch (error) {
      this.problems.push(`${this.#name}: ${(error as Error).message}`);
    }
    const took = Date.now() - start;
    if (took > this.figures.longestMs) Object.assign(this.figures, { longestMs: took, longestAt: start });
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

/**
 * A role with `lease_grant` that reads the view, takes its lease and counts on under its token, in a table of its own. What is not counted, or twice,
 * shows in the table.
 */
export class FencedKeeper {
  readonly figures: Figures = { writes: 0, longestMs: 0, longestAt: 0 };
  readonly problems: string[] = [];
  readonly #client: pg.Client;
  readonly #name: string;

  constructor(url: string, name: string) {
    this.#client = new pg.Client(url);
    this.#client.on('error', (error) => this.problems.push(`${name}: ${error.message}`));
    this.#name = name;
  }

  /** What an administrator does, whose session finds the schema, for all of them. Roles stay in the PostgreSQL: they are dropped with it. */
  static async prepare(administrator: pg.Client, role: string, names: readonly string[]): Promise<void> {
    await administrator.query(
      `do $$ begin create role ${role} login password '${role}'; exception when duplicate_object then null; end $$`,
    );
    await administrator.query(`create schema ${role} authorization ${role}; grant select on coordination.leases to ${role};
      select lease_grant('${role}', '${NAMESPACE}')`);
    await administrator.query(
      `set role ${role}; create table ${role}.counted (name text primary key, times integer not null, token bigint not null)`,
    );
    for (const name of names) {
      await administrator.query(`insert into ${role}.counted values ('${name}', 0, 0);
        create trigger "${name}" before update on ${role}.counted for each row when (new.name = '${name}')
        execute function coordination.fence('${NAMESPACE}/${name}')`);
    }
    await administrator.query('reset role');
  }

  open(): Promise<unknown> {
    return this.#client.connect();
  }

  async write(): Promise<void> {
    const start = Date.now();
    try {
      await this.#count();
      this.figures.writes++;
    } catch (error) {
      this.problems.push(`${this.#name}: ${(error as Error).message}`);
      await this.#client.query('rollback').catch(() => undefined);
    }
    const took = Date.now() - start;
    if (took > this.figures.longestMs) Object.assign(this.figures, { longestMs: took, longestAt: start });
  }

  async #count(): Promise<void> {
    const { rows } = await this.#client.query<{ acquired: boolean; token: string }>(
      `call coordination.lease_acquire('${NAMESPACE}', '${this.#name}', 'fenced', '30s')`,
    );
    const { acquired, token } = rows[0]!;
    if (!acquired) throw new Error('the lease is not acquired, though nobody else wants it');
    const { rowCount: seen } = await this.#client.query(
      `select from coordination.leases where namespace = '${NAMESPACE}' and name = '${this.#name}' and held`,
    );
    if (seen !== 1) throw new Error('the lease is not in the view');
    await this.#client.query('begin');
    await this.#client.query(`select coordination.lease_assert('${NAMESPACE}', '${this.#name}', ${token})`);
    const { rows: counted } = await this.#client.query<{ times: number }>(
      `update counted set times = times + 1, token = ${token} where name = '${this.#name}' returning times`,
    );
    await this.#client.query('commit');
    const times = counted[0]?.times;
    if (times !== this.figures.writes + 1) this.problems.push(`${this.#name}: counted ${times} after ${this.figures.writes}`);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Watches all leases through one server after another, going on where the last watch ended. */
export class LeaseWatcher {
  readonly problems: string[] = [];
  /** The revisions seen, in their order. */
  readonly seen: string[] = [];
  readonly #fleet: Fleet;
  /** The revision after which it watches. */
  readonly from: string;
  readonly #preferred: () => ServerProcess | undefined;
  #watch: WatchClient | undefined;
  #stopped = false;

  constructor(fleet: Fleet, from: string, preferred: () => ServerProcess | undefined) {
    this.#fleet = fleet;
    this.from = from;
    this.#preferred = preferred;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const server = this.#preferred() ?? this.#fleet.pick();
      if (!server) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      const since = this.seen.at(-1) ?? this.from;
      this.#watch = new WatchClient(`${server.url}${LEASES}?watch=true&resourceVersion=${since}&allowWatchBookmarks=false`);
      const watch = this.#watch;
      const taking = setInterval(() => this.#take(watch), 50);
      await watch.ended.catch(() => undefined);
      clearInterval(taking);
      this.#take(watch);
      if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.abort();
  }

  #take(watch: WatchClient): void {
    for (const { type, object } of watch.events.splice(0)) {
      const revision = (object as unknown as Lease).metadata?.resourceVersion;
      if (type === 'ERROR' || revision === undefined) {
        this.problems.push(`a watch ended with ${JSON.stringify(object).slice(0, 200)}`);
        continue;
      }
      const last = this.seen.at(-1);
      if (last !== undefined && BigInt(revision) <= BigInt(last)) this.problems.push(`a watch sent ${revision} after ${last}`);
      this.seen.push(revision);
    }
  }
}

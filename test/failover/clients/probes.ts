import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ApiClient } from './api-client.js';
import type { Recorder } from './recorder.js';

/** Polls a server's /readyz twice a second. */
export class ReadinessProbe {
  readonly #client: ApiClient;
  readonly #recorder: Recorder;
  #stopped = false;
  #done: Promise<void> = Promise.resolve();

  constructor(client: ApiClient, recorder: Recorder) {
    this.#client = client;
    this.#recorder = recorder;
  }

  start(): void {
    this.#done = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const { status } = await this.#client.send('GET', '/readyz', undefined, 2_000);
      this.#recorder.readiness.push({ server: this.#client.server, at: this.#recorder.now(), status });
      await sleep(500);
    }
  }
}

/** Writes to PostgreSQL directly ten times a second, through an address like the servers': measures the database's own failover. */
export class DatabaseProbe {
  readonly #url: string;
  readonly #recorder: Recorder;
  #client: pg.Client | undefined;
  #stopped = false;
  #done: Promise<void> = Promise.resolve();

  constructor(url: string, recorder: Recorder) {
    this.#url = url;
    this.#recorder = recorder;
  }

  async start(): Promise<void> {
    const client = await this.#connected();
    await client.query('create table if not exists probe (n bigint not null)');
    await client.query('insert into probe values (0)');
    this.#done = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    this.#drop();
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      try {
        await (await this.#connected()).query('update probe set n = n + 1');
        this.#recorder.databaseWrites.push(this.#recorder.now());
      } catch {
        this.#drop(); // the next round reconnects; the gap is what is measured
      }
      await sleep(100);
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    // The server gives up soon after the client: otherwise each update that waits for a standby keeps its connection.
    const limits = { connectionTimeoutMillis: 2_000, query_timeout: 2_000, statement_timeout: 3_000 };
    const client = new pg.Client({ connectionString: this.#url, ...limits });
    client.on('error', () => undefined);
    this.#client = client;
    await client.connect();
    return client;
  }

  #drop(): void {
    (this.#client as unknown as { connection: { stream: { destroy(): void } } } | undefined)?.connection.stream.destroy();
    this.#client = undefined;
  }
}

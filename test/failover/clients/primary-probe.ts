import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseNode } from '../cluster/database-node.js';
import type { Recorder } from './recorder.js';

const INTERVAL_MS = 100;
const TAKES_WRITES = `select not (pg_is_in_recovery() or current_setting('transaction_read_only')::boolean) as "primary"`;

/**
 * Continuously asks a node directly, bypassing every link, whether it accepts writes. Nothing else reveals that the manager allows two
 * primaries.
 */
export class PrimaryProbe {
  readonly #node: DatabaseNode;
  readonly #recorder: Recorder;
  #client: pg.Client | undefined;
  #stopped = false;
  #done: Promise<void> = Promise.resolve();

  constructor(node: DatabaseNode, recorder: Recorder) {
    this.#node = node;
    this.#recorder = recorder;
  }

  start(): void {
    this.#done = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
    this.#drop();
  }

  async #work(): Promise<void> {
    let since: number | undefined;
    while (!this.#stopped) {
      const askedAt = this.#recorder.now();
      const primary = await this.#isPrimary();
      if (primary && since !== undefined) this.#recorder.primary(this.#node.name, since, askedAt);
      since = primary ? (since ?? this.#recorder.now()) : undefined;
      await sleep(INTERVAL_MS);
    }
  }

  async #isPrimary(): Promise<boolean> {
    try {
      const { rows } = await (await this.#connected()).query<{ primary: boolean }>(TAKES_WRITES);
      return rows[0]?.primary === true;
    } catch {
      this.#drop();
      return false;
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const { host, port } = this.#node.endpoint;
    const where = { host, port, user: 'postgres', database: 'postgres', password: 'torture' };
    const client = new pg.Client({ ...where, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
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

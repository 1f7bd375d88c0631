import pg from 'pg';
import type { Random } from '../../fuzz/random.js';
import { Finding } from '../world/world.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { Context } from './context.js';
import { NAMESPACES } from './writer.js';

const WAIT_MS = 3_000;

/** Acquires, renews and releases leases in SQL beside servers that read and watch, and checks that an answer tells of nothing that a crash takes back. */
export class SqlWriter {
  readonly #context: Context;
  readonly #name: string;
  readonly #random: Random;
  readonly #process: SimulatedProcess;
  readonly #thinkMs: number;
  #client: pg.Client | undefined;

  constructor(context: Context, name: string, thinkMs: number) {
    this.#context = context;
    this.#name = name;
    this.#thinkMs = thinkMs;
    this.#random = context.world.stream();
    this.#process = new SimulatedProcess(name);
    context.world.after(0, () => void this.#run(), this.#process);
  }

  async #run(): Promise<void> {
    const { world, endsAt } = this.#context;
    while (world.now() < endsAt) {
      await world.sleep(this.#random.below(this.#thinkMs));
      const verb = this.#random.pick(['acquire', 'acquire', 'renew', 'renew', 'release']);
      const values = [this.#random.pick(NAMESPACES), `sql-${this.#random.below(2)}`, this.#name, 3];
      await this.#call(`call lease_${verb}($1, $2, $3, $4)`, values);
    }
  }

  async #call(text: string, values: (string | number)[]): Promise<void> {
    try {
      const client = (this.#client ??= await this.#connect());
      const { rows } = await client.query<{ seen: string | number | null }>(text, values);
      this.#context.history.told(Number(rows[0]?.seen ?? 0));
    } catch (error) {
      if (error instanceof Finding) return this.#context.world.report(error);
      this.#context.world.trace(() => `in SQL: ${String(error)}`);
      void this.#client?.end().catch(() => undefined);
      this.#client = undefined;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: 'postgres://sim@sql/db', query_timeout: WAIT_MS, connectionTimeoutMillis: WAIT_MS });
    client.on('error', () => (this.#client = undefined));
    await client.connect();
    return client;
  }
}

import pg from 'pg';
import type { Random } from '../../fuzz/random.js';
import type { History } from '../check/history.js';
import type { Holders } from '../check/holders.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { type World, Finding } from '../world/world.js';
import { SYSTEM_NAMESPACE } from './control-plane.js';
import { EXCLUSIVE_MS, LOCK, SECONDS } from './locker.js';

const WAIT_MS = 3_000;

/**
 * A client of lease_acquire, lease_renew and lease_release, which contends with those of the lock endpoint for one lease. One that is not `plain` says what
 * it has seen by its steady clock.
 */
export class SqlLocker {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #holders: Holders;
  readonly #random: Random;
  #client: pg.Client | undefined;
  #heldFrom = -Infinity;
  readonly #isPlain: boolean;
  readonly #history: History;
  /** At which revision the lease was seen last, and since when. */
  #seen: { readonly revision: number; readonly since: number } | undefined;

  constructor(world: World, holders: Holders, history: History, name: string, isPlain: boolean) {
    this.#isPlain = isPlain;
    this.#history = history;
    this.#world = world;
    this.#holders = holders;
    this.#random = world.stream();
    this.process = new SimulatedProcess(name, { rate: world.someRate() });
    world.after(0, () => void this.#run(), this.process);
  }

  async #run(): Promise<void> {
    for (;;) {
      const renewals = this.#random.below(12);
      for (let turn = 0; turn <= renewals; turn++) {
        await this.#write(this.#holds ? 'renew' : 'acquire');
        await this.#world.sleep(200 + this.#random.below(1_000));
      }
      if (this.#holds && this.#random.chance(0.3)) await this.#release();
      await this.#world.sleep(this.#random.below(12_000));
    }
  }

  get #holds(): boolean {
    return this.#world.steadyMs(this.process) < this.#heldFrom + EXCLUSIVE_MS;
  }

  async #write(verb: 'acquire' | 'renew'): Promise<void> {
    const [at, since] = [this.#world.steadyMs(this.process), this.#world.now()];
    const values = [SYSTEM_NAMESPACE, LOCK, this.process.name, SECONDS];
    const token =
      verb === 'renew' || this.#isPlain
        ? await this.#call(`call lease_${verb}($1, $2, $3, $4)`, values)
        : await this.#call('call lease_acquire($1, $2, $3, $4, $5, $6)', [...values, ...this.#unchanged(at)]);
    if (token === undefined) return;
    const begins = !this.#holds;
    this.#heldFrom = at;
    if (!begins || !this.#holds) return;
    this.#holders.begins({ lease: LOCK, process: this.process, since, token, believes: () => this.#holds });
  }

  #unchanged(at: number): (number | null)[] {
    return this.#seen ? [this.#seen.revision, Math.floor(at - this.#seen.since)] : [null, 0];
  }

  async #release(): Promise<void> {
    this.#heldFrom = -Infinity;
    await this.#call('call lease_release($1, $2, $3)', [SYSTEM_NAMESPACE, LOCK, this.process.name]);
  }

  /** The token; undefined where the lease is not written, or nobody knows. */
  async #call(text: string, values: (string | number | null)[]): Promise<bigint | undefined> {
    try {
      const client = (this.#client ??= await this.#connect());
      const { rows } = await client.query<{ token: number | null; seen: string | number | null }>(text, values);
      const revision = Number(rows[0]?.seen ?? 0);
      this.#history.told(revision);
      if (revision !== this.#seen?.revision) this.#seen = { revision, since: this.#world.steadyMs(this.process) };
      return rows[0]?.token ? BigInt(rows[0].token) : undefined;
    } catch (error) {
      if (error instanceof Finding) this.#world.report(error);
      this.#world.trace(() => `in SQL: ${String(error)}`);
      void this.#client?.end().catch(() => undefined);
      this.#client = undefined;
      return undefined;
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: 'postgres://sim@sql/db', query_timeout: WAIT_MS, connectionTimeoutMillis: WAIT_MS });
    client.on('error', () => (this.#client = undefined));
    await client.connect();
    return client;
  }
}

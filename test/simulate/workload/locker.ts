import { ApiError } from '../../../src/apimachinery/errors/api-error.js';
import type { KubeObject } from '../../../src/apimachinery/meta/object-meta.schema.js';
import type { Lease } from '../../../src/apis/coordination/lease/lease.schema.js';
import { LeaseHeldError, lockedLease } from '../../../src/apis/coordination/lease/lock/locked-lease.js';
import { systemContext } from '../../../src/registry/resource/request-context.js';
import type { Random } from '../../fuzz/random.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { type Api, leaseTarget, WRITE } from './api.js';
import type { CandidateOptions } from './candidate.js';
import { SYSTEM_NAMESPACE } from './control-plane.js';
import type { SimulatedServer } from './simulated-server.js';

/** The lease of all lockers. */
export const LOCK = 'locked';
export const SECONDS = 4;
/** As in packages/lease-lock: the rest is a margin. */
export const EXCLUSIVE_MS = (SECONDS * 1000 * 14) / 15;

/** A client of `leases/NAME/lock`, at one server after the other. */
export class Locker {
  readonly process: SimulatedProcess;
  readonly #options: CandidateOptions;
  readonly #random: Random;
  #heldFrom = -Infinity;

  constructor(options: CandidateOptions, name: string) {
    this.#options = options;
    this.#random = options.world.stream();
    this.process = new SimulatedProcess(name, { rate: options.world.someRate() });
    options.world.after(0, () => void this.#run(), this.process);
  }

  async #run(): Promise<void> {
    const { world } = this.#options;
    for (;;) {
      // some hold on to the lock, some let it expire
      const renewals = this.#random.below(12);
      for (let turn = 0; turn <= renewals; turn++) {
        await this.#lock();
        await world.sleep(200 + this.#random.below(1_000));
      }
      await world.sleep(this.#random.below(12_000));
    }
  }

  get #holds(): boolean {
    return this.#options.world.steadyMs(this.process) < this.#heldFrom + EXCLUSIVE_MS;
  }

  async #lock(): Promise<void> {
    const { world, servers, apiOf, holders } = this.#options;
    const server = this.#random.pick(servers);
    const [at, since] = [world.steadyMs(this.process), world.now()];
    try {
      const revision = await server.call(this.process, () => this.#ask(server, apiOf(server)));
      const begins = !this.#holds;
      this.#heldFrom = at;
      if (begins && this.#holds) {
        holders.begins({ lease: LOCK, process: this.process, since, token: BigInt(revision), believes: () => this.#holds });
      }
    } catch (error) {
      world.trace(() => `lock: ${error instanceof LeaseHeldError ? 'held' : String(error)}`);
    }
  }

  async #ask(server: SimulatedServer, api: Api | undefined): Promise<number> {
    if (!api) throw new Error('the server is not ready');
    const options = { holder: this.process.name, seconds: SECONDS, force: false, wait: 0, info: undefined };
    const time = { now: this.#options.clocks.now(server.process), ageOf: (revision: number) => api.leases.ageOf(revision) };
    const next = (live: KubeObject | undefined): Lease => lockedLease(live as Lease | undefined, LOCK, options, time);
    const context = systemContext(this.process.name);
    const target = leaseTarget(SYSTEM_NAMESPACE, LOCK);
    const source = {
      next: next as (live: KubeObject | undefined) => KubeObject,
      mayCreate: false,
      tracksFields: 'update',
      retries: true,
    } as const;
    try {
      return (await api.leases.update(context, target, source, WRITE)).object.revision;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
      return (await api.leases.create(context, leaseTarget(SYSTEM_NAMESPACE, ''), next(undefined), WRITE)).revision;
    }
  }
}

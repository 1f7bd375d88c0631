import { ApiError } from '../../../src/apimachinery/errors/api-error.js';
import { DEFAULT_LIST_OPTIONS } from '../../../src/apimachinery/options/list-options.js';
import { systemContext } from '../../../src/registry/resource/request-context.js';
import type { Lease } from '../../../src/apis/coordination/lease/lease.schema.js';
import type { Random } from '../../fuzz/random.js';
import type { ReadCheck } from '../check/read-check.js';
import { type World, Finding } from '../world/world.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import { decoded, namespaceTarget } from '../../support/registry-fixture.js';
import { type Api, leaseTarget, WRITE } from './api.js';
import { type SimulatedServer, ServerLost } from './simulated-server.js';
import { LEASES } from './writer.js';

export interface TenantOptions {
  readonly world: World;
  readonly servers: readonly SimulatedServer[];
  readonly apiOf: (server: SimulatedServer) => Api | undefined;
  readonly reads: ReadCheck;
  readonly endsAt: number;
}

const NAMESPACES = ['red', 'blue'] as const;
/** Finalizers of leases: the controllers' own, and one that keeps a lease until the tenant removes it. */
const FINALIZERS = ['foregroundDeletion', 'tenant.example/kept'] as const;
const KEPT = FINALIZERS[1];
/** Time after the last fault in which the tenant removes its finalizers, so that deleted namespaces can end. */
const CLEANING_MS = 20_000;

/**
 * Creates and fills namespaces, deletes them, recreates them, and pages through their contents by the registry. Some leases keep their
 * namespace from ending until the tenant lets them go.
 */
export class Tenant {
  readonly #options: TenantOptions;
  readonly #random: Random;
  readonly #process: SimulatedProcess;

  constructor(options: TenantOptions, name: string) {
    this.#options = options;
    this.#random = options.world.stream();
    this.#process = new SimulatedProcess(name);
    const { world, endsAt } = options;
    world.after(0, () => void this.#repeat(endsAt, 800, () => this.#act()), this.#process);
    world.after(0, () => void this.#repeat(endsAt + CLEANING_MS, 4_000, () => this.#letGo()), this.#process);
  }

  async #repeat(until: number, pauseMs: number, act: () => Promise<void>): Promise<void> {
    const { world } = this.#options;
    while (world.now() < until) {
      await world.sleep(this.#random.below(pauseMs));
      try {
        await act();
      } catch (error) {
        // any error that a client may receive
        if (!(error instanceof ServerLost || error instanceof ApiError)) world.report(error);
      }
    }
  }

  async #act(): Promise<void> {
    const namespace = this.#random.pick(NAMESPACES);
    const choice = this.#random.below(10);
    const context = () => systemContext('tenant');
    if (choice < 2) {
      await this.#ask((api) => api.namespaces.create(context(), namespaceTarget(''), { metadata: { name: namespace } }, WRITE));
    } else if (choice < 7) {
      const name = `lease-${this.#random.below(3)}`;
      const finalizers = this.#random.chance(0.3) ? { finalizers: [this.#random.pick(FINALIZERS)] } : {};
      const lease = { metadata: { name, ...finalizers }, spec: { holderIdentity: String(this.#random.below(1000)) } };
      await this.#ask((api) => api.leases.create(context(), leaseTarget(namespace, ''), lease, WRITE));
    } else if (choice < 9) await this.#page(namespace);
    else await this.#ask((api) => api.namespaces.delete(context(), namespaceTarget(namespace), { dryRun: false }));
  }

  async #letGo(): Promise<void> {
    for (const namespace of NAMESPACES) {
      const list = await this.#ask((api) => api.leases.list(leaseTarget(namespace, ''), DEFAULT_LIST_OPTIONS));
      for (const stored of list?.objects ?? []) {
        const { name, finalizers = [] } = decoded<Lease>(stored).metadata;
        if (name && finalizers.includes(KEPT)) {
          await this.#ask((api) => api.leases.update(systemContext('tenant'), leaseTarget(namespace, name), LET_GO, WRITE));
        }
      }
    }
  }

  /** All pages together form one snapshot. */
  async #page(namespace: string): Promise<void> {
    const objects = [];
    let revision = '';
    for (let token = ''; ;) {
      const options = { ...DEFAULT_LIST_OPTIONS, limit: 1 + this.#random.below(2), continue: token };
      const page = await this.#ask((api) => api.leases.list(leaseTarget(namespace, ''), options));
      if (!page) return;
      if (revision !== '' && page.resourceVersion !== revision) throw new Finding(`a page of ${revision} is of ${page.resourceVersion}`);
      revision = page.resourceVersion;
      objects.push(...page.objects);
      if (page.continue === undefined) break;
      token = page.continue;
      await this.#options.world.sleep(this.#random.below(3_000));
    }
    const request = { range: { resource: LEASES, namespace }, consistency: { kind: 'any' } } as const;
    this.#options.reads.isSnapshot(request, { objects, revision: Number(revision) });
  }

  #ask<T>(ask: (api: Api) => Promise<T>): Promise<T | undefined> {
    const server = this.#random.pick(this.#options.servers);
    return server.call(this.#process, async () => {
      const api = this.#options.apiOf(server);
      return api && ask(api);
    });
  }
}

const LET_GO = {
  next: (live: Lease | undefined) => ({
    ...live,
    metadata: { ...live?.metadata, finalizers: live?.metadata.finalizers?.filter((name) => name !== KEPT) },
  }),
  mayCreate: false,
  tracksFields: 'update',
  retries: true,
} as const;

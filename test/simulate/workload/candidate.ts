import { ApiError } from '../../../src/apimachinery/errors/api-error.js';
import type { KubeObject } from '../../../src/apimachinery/meta/object-meta.schema.js';
import { systemContext } from '../../../src/registry/resource/request-context.js';
import type { Clock } from '../../../packages/kube-client/src/clock.js';
import { type LeaseClient, KubernetesError } from '../../../packages/kube-client/src/coordination-client.js';
import type { Lease } from '../../../packages/kube-client/src/kubernetes-objects.js';
import { LeaderElector } from '../../../packages/leader-election/src/leader-elector.js';
import type { Random } from '../../fuzz/random.js';
import type { Holders } from '../check/holders.js';
import { SimulatedProcess } from '../world/simulated-process.js';
import type { WallClocks } from '../world/wall-clocks.js';
import type { World } from '../world/world.js';
import { type Api, leaseTarget, WRITE } from './api.js';
import { decoded } from '../../support/registry-fixture.js';
import { SYSTEM_NAMESPACE } from './control-plane.js';
import type { SimulatedServer } from './simulated-server.js';

/** What a candidate needs of the world. */
export interface CandidateOptions {
  readonly world: World;
  readonly servers: readonly SimulatedServer[];
  readonly apiOf: (server: SimulatedServer) => Api | undefined;
  readonly holders: Holders;
  readonly clocks: WallClocks;
}

/** A client program that campaigns with packages/leader-election while it lives. */
export class Candidate {
  readonly process: SimulatedProcess;
  /** None of its requests is answered before this moment. */
  cutOffUntil = 0;
  readonly #options: CandidateOptions;
  readonly #random: Random;

  constructor(options: CandidateOptions, name: string) {
    this.#options = options;
    this.#random = options.world.stream();
    this.process = new SimulatedProcess(name, { rate: options.world.someRate() });
    options.world.after(0, () => void this.#run(), this.process);
  }

  async #run(): Promise<void> {
    const { world, holders, clocks } = this.#options;
    const { process } = this;
    const steady = world.clockOf(process);
    const clock: Clock = {
      monotonic: () => steady.now(),
      wallTime: () => new Date(clocks.now(process)),
      after: (ms, run) => steady.after(ms, run),
    };
    const elector = new LeaderElector({
      client: this.#client(),
      namespace: SYSTEM_NAMESPACE,
      name: 'elected',
      identity: process.name,
      releaseOnCancel: this.#random.chance(0.5),
      clock,
      random: () => this.#random.fraction(),
      onError: (error) => world.trace(() => `election: ${String(error)}`),
    });
    for await (const term of elector.terms()) {
      const believes = () => !term.signal.aborted && term.remaining() > 0;
      holders.begins({ lease: 'elected', process, since: world.now(), token: term.fencingToken, believes });
      if (this.#random.chance(0.4)) {
        await world.sleep(this.#random.below(10_000));
        if (this.#random.chance(0.5)) term.resign();
      }
    }
  }

  #client(): LeaseClient {
    const context = () => systemContext(this.process.name);
    return {
      get: (namespace, name) => this.#ask(async (api) => this.#found(api, namespace, name)),
      create: (lease) =>
        this.#ask(async (api) =>
          wire(await api.leases.create(context(), leaseTarget(lease.metadata.namespace ?? '', ''), lease as never, WRITE)),
        ),
      update: (lease) =>
        this.#ask(async (api) => {
          const target = leaseTarget(lease.metadata.namespace ?? '', lease.metadata.name ?? '');
          const source = { next: () => lease as never, mayCreate: false, tracksFields: 'update', retries: false } as const;
          return wire((await api.leases.update(context(), target, source, WRITE)).object);
        }),
    };
  }

  async #found(api: Api, namespace: string, name: string): Promise<Lease | undefined> {
    try {
      return wire(await api.leases.get(leaseTarget(namespace, name), { resourceVersion: '' }));
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #ask<T>(ask: (api: Api) => Promise<T>): Promise<T> {
    const { world, servers, apiOf } = this.#options;
    const server = this.#random.pick(servers);
    if (world.now() < this.cutOffUntil) return new Promise<T>(() => undefined);
    try {
      const answer = await server.call(this.process, async () => {
        const api = apiOf(server);
        if (!api) throw new Error('the server is not ready');
        return ask(api);
      });
      if (world.now() < this.cutOffUntil) return await new Promise<T>(() => undefined);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) throw new KubernetesError(error.code, error.message, error.status.reason);
      throw error;
    }
  }
}

function wire(stored: Parameters<typeof decoded>[0]): Lease {
  return decoded<KubeObject>(stored);
}

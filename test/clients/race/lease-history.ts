import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../../packages/kube-client/src/kubernetes-objects.js';
import { textLines } from '../../../packages/kube-client/src/coordination-client.js';
import type { Transport } from '../../../packages/kube-client/src/transport.js';
import type { Version } from './history-violations.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export interface SeenVersion extends Version {
  /** When the watch delivered it, by this process's clock. */
  readonly seenAt: number;
}

/** Every version of one lease, in revision order, from a watch. */
export class LeaseHistory {
  readonly versions: SeenVersion[] = [];
  readonly #transport: Transport;
  readonly lease: string;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(transport: Transport, lease: string) {
    this.#transport = transport;
    this.lease = lease;
  }

  /** Resolves once the watch is open, so that it misses no version. */
  start(): Promise<void> {
    return new Promise((opened) => {
      this.#done = this.#follow(opened);
    });
  }

  /** Ends the watch, which is opened again and again until then. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  get last(): SeenVersion | undefined {
    return this.versions.at(-1);
  }

  async #follow(opened: () => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const since = this.last ? `&resourceVersion=${this.last.revision}` : '';
        const path = `${LEASES}?watch=true&fieldSelector=metadata.name%3D${this.lease}${since}`;
        const response = await this.#transport({ method: 'GET', path, signal: this.#stop.signal });
        opened();
        for await (const line of textLines(response.body)) this.#take(JSON.parse(line) as { type: string; object: Lease });
      } catch (error) {
        if (!this.#stop.signal.aborted) console.error('watch', error);
      }
      await sleep(50);
    }
  }

  #take({ type, object: { metadata, spec } }: { type: string; object: Lease }): void {
    if (type !== 'ADDED' && type !== 'MODIFIED') return;
    this.versions.push({
      revision: BigInt(metadata.resourceVersion ?? 0),
      holder: spec?.holderIdentity ?? '',
      transitions: spec?.leaseTransitions ?? 0,
      acquireTime: spec?.acquireTime ?? '',
      renewTime: spec?.renewTime ?? '',
      seenAt: performance.now(),
    });
  }
}

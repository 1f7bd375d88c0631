import { type Clock, withTimeout } from '../../kube-client/src/clock.js';
import { type ElectionRecord, recordFromSpec, specFromRecord } from '../../kube-client/src/observation.js';
import type { Lease } from '../../kube-client/src/kubernetes-objects.js';
import type { Annotations, LeaseView } from '../../../src/apimachinery/election/hand-over.js';
import type { LeaseClient } from '../../kube-client/src/coordination-client.js';

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The time limit of one request. */
  readonly requestTimeout: number;
}

/** One Lease as an election record. It keeps the last known version, so that an update needs no read first. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** The resourceVersion of the last known version: that of the own write after a create or update. */
  get revision(): bigint {
    return BigInt(this.#lease?.metadata.resourceVersion ?? 0);
  }

  /** What the last known version says of hand-overs. */
  get view(): LeaseView {
    return { holder: this.#lease?.spec?.holderIdentity ?? '', annotations: this.#lease?.metadata.annotations };
  }

  async get(signal: AbortSignal): Promise<ElectionRecord | undefined> {
    const { client, namespace, name } = this.#options;
    this.#lease = await this.#request(signal, (within) => client.get(namespace, name, within));
    return this.#lease && recordFromSpec(this.#lease.spec);
  }

  async create(record: ElectionRecord, signal: AbortSignal, annotations?: Annotations): Promise<void> {
    const { client, namespace, name, labels } = this.#options;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, ...(labels && { labels: { ...labels } }), ...(annotations && { annotations }) },
      spec: specFromRecord(record),
    };
    this.#lease = await this.#request(signal, (within) => client.create(lease, within));
  }

  /** Replaces exactly the known version; `annotations` are all that it then has. */
  async update(record: ElectionRecord, signal: AbortSignal, annotations: Annotations | undefined): Promise<void> {
    const known = this.#known;
    const { labels } = this.#options;
    const metadata = { ...known.metadata, ...(labels && { labels: { ...known.metadata.labels, ...labels } }), annotations };
    await this.#replace({ ...known, metadata, spec: specFromRecord(record) }, signal);
  }

  /** Changes nothing else of exactly the known version. */
  async annotate(annotations: Annotations, signal: AbortSignal): Promise<void> {
    await this.#replace({ ...this.#known, metadata: { ...this.#known.metadata, annotations } }, signal);
  }

  get #known(): Lease {
    if (!this.#lease) throw new Error('a lease has to be read or created before it can be updated');
    return this.#lease;
  }

  async #replace(lease: Lease, signal: AbortSignal): Promise<void> {
    this.#lease = await this.#request(signal, (within) => this.#options.client.update(lease, within));
  }

  #request<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(this.#options.clock, this.#options.requestTimeout, signal, request);
  }
}

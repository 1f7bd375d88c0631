import type { ApiClient } from '../api/api-client.js';
import { type FollowState, followList } from '../api/follow-list.js';
import type { Lease, ObjectList } from '../api/kubernetes-objects.js';
import type { ServerClock } from '../clock/server-clock.js';
import { LeaseStore } from '../leases/lease-store.js';
import { type ObservedLease, leaseState } from '../leases/observed-lease.js';

/** A change that a read has shown comes by the watch within this time. */
const ON_ITS_WAY_MS = 1_000;

/** A selection of leases. */
export interface LeaseScope {
  /** '' for all. */
  readonly namespace: string;
  readonly labels: string;
  /** Absent: no limit by labels. */
  readonly name?: string;
}

/** The leases of a scope, kept up to date. */
export class LiveLeases {
  readonly store = new LeaseStore();
  readonly changed = new FrameSignal();
  state: FollowState = { phase: 'loading' };
  /** What the state and the store are about; the page's address is ahead of it for a moment. */
  scope: LeaseScope = { namespace: '', labels: '' };
  readonly #clock: ServerClock;
  #abort: AbortController | undefined;
  #followed = '';
  #client: ApiClient | undefined;

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** Follows this scope from now on, instead of the previous one. */
  follow(client: ApiClient, scope: LeaseScope): void {
    const wanted = JSON.stringify(scope);
    if (wanted === this.#followed && this.#abort) return;
    this.stop();
    if (this.#followed !== '' && wanted !== this.#followed) this.store.reset();
    this.#followed = wanted;
    this.scope = scope;
    this.#client = client;
    const abort = new AbortController();
    this.#abort = abort;
    const isCurrent = (): boolean => this.#abort === abort;
    void followList<Lease>({
      client,
      path: leasePath(scope.namespace),
      labelSelector: scope.labels,
      fieldSelector: scope.name === undefined ? undefined : `metadata.name=${scope.name}`,
      signal: abort.signal,
      follower: {
        begin: (items) => {
          if (!isCurrent()) return;
          this.store.begin(items, this.#clock.now());
          this.changed.poke();
        },
        replace: (items) => {
          if (!isCurrent()) return;
          this.#clock.hear();
          this.store.replace(items, this.#clock.now());
          this.changed.poke();
        },
        apply: (events, live) => {
          if (!isCurrent()) return;
          this.store.apply(events, { now: this.#clock.now(), live: live && this.#clock.silentMs === 0 });
          this.changed.poke();
        },
        tell: (state) => {
          if (!isCurrent()) return;
          this.state = state;
          this.changed.poke();
        },
        heard: () => {
          if (isCurrent() && this.#clock.silentMs === 0) this.#clock.hear();
        },
      },
    });
  }

  /** Lists the leases again, and watches them by another request. */
  followAgain(): void {
    if (!this.#client || !this.#abort) return;
    const { scope } = this;
    this.#abort.abort();
    this.#abort = undefined;
    this.follow(this.#client, scope);
  }

  /** The first lease that would be in another state by now than at the server's last word. */
  firstDoubtful(): ObservedLease | undefined {
    const [known, now] = [this.#clock.known(), this.#clock.now()];
    for (const lease of this.store.leases.values()) if (leaseState(lease, known) !== leaseState(lease, now)) return lease;
    return undefined;
  }

  /**
   * Reads a lease anew: this one, or any. `as-shown`: the server answers, and knows the lease as it is shown; `moving`: a change has arrived meanwhile;
   * `behind`: a change has not arrived by the watch, which may be that of another replica. Rejects with ApiFailure, or as the signal aborts.
   */
  async confirm(shown: ObservedLease | undefined, signal: AbortSignal): Promise<'as-shown' | 'moving' | 'behind'> {
    const { namespace, labels, name } = shown ? { ...this.scope, ...shown } : this.scope;
    const query = new URLSearchParams({ limit: '1' });
    if (labels) query.set('labelSelector', labels);
    if (name !== undefined) query.set('fieldSelector', `metadata.name=${name}`);
    const { items = [] } = (await this.#client?.json<ObjectList<Lease>>(`${leasePath(namespace)}?${query.toString()}`, { signal })) ?? {};
    if (!shown || items[0]?.metadata.resourceVersion === shown.lease.metadata.resourceVersion) return 'as-shown';
    await new Promise((resolve) => setTimeout(resolve, ON_ITS_WAY_MS));
    return this.store.leases.get(shown.key) === shown ? 'behind' : 'moving';
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.state = { phase: 'loading' };
  }
}

/** The path of leases in a namespace, or in all (''). */
export function leasePath(namespace: string, name?: string): string {
  const root = '/apis/coordination.k8s.io/v1';
  const list = namespace === '' ? `${root}/leases` : `${root}/namespaces/${encodeURIComponent(namespace)}/leases`;
  return name === undefined ? list : `${list}/${encodeURIComponent(name)}`;
}

/** Notifies of changes at most once a frame, however many there are; not at all while the page is hidden. */
export class FrameSignal {
  readonly #listeners = new Set<() => void>();
  #asked = false;

  poke = (): void => {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      for (const listener of this.#listeners) listener();
    });
  };

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

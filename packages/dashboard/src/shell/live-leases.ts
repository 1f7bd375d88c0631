import type { ApiClient } from '../api/api-client.js';
import { type FollowState, followList } from '../api/follow-list.js';
import type { Lease } from '../api/kubernetes-objects.js';
import type { ServerClock } from '../clock/server-clock.js';
import { LeaseStore } from '../leases/lease-store.js';
import { FrameSignal } from './frame-signal.js';

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
          this.store.replace(items, this.#clock.now());
          this.changed.poke();
        },
        apply: (events, live) => {
          if (!isCurrent()) return;
          this.store.apply(events, { now: this.#clock.now(), live });
          this.changed.poke();
        },
        tell: (state) => {
          if (!isCurrent()) return;
          this.state = state;
          this.changed.poke();
        },
      },
    });
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

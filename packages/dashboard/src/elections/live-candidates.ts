import type { ApiClient } from '../api/api-client.js';
import { type FollowState, followList } from '../api/follow-list.js';
import type { LeaseCandidate } from '../api/kubernetes-objects.js';
import { keyOf } from '../leases/observe-lease.js';
import { FrameSignal } from '../shell/frame-signal.js';

/** Candidates, kept up to date while a component uses them. */
export class LiveCandidates {
  readonly objects = new Map<string, LeaseCandidate>();
  readonly changed = new FrameSignal();
  state: FollowState = { phase: 'loading' };
  loaded = false;
  #abort: AbortController | undefined;

  /** `namespace`: '' for all. */
  follow(client: ApiClient, version: string, namespace: string): void {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    const root = `/apis/coordination.k8s.io/${version}`;
    void followList<LeaseCandidate>({
      client,
      path: namespace === '' ? `${root}/leasecandidates` : `${root}/namespaces/${encodeURIComponent(namespace)}/leasecandidates`,
      signal: abort.signal,
      follower: {
        replace: (items) => {
          this.objects.clear();
          for (const item of items) this.objects.set(keyOf(item.metadata), item);
          this.loaded = true;
          this.changed.poke();
        },
        apply: (events) => {
          for (const { type, object } of events) {
            if (type === 'DELETED') this.objects.delete(keyOf(object.metadata));
            else this.objects.set(keyOf(object.metadata), object);
          }
          this.changed.poke();
        },
        tell: (state) => {
          this.state = state;
          this.changed.poke();
        },
      },
    });
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }
}

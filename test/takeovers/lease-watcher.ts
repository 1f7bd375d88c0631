import { eventually } from '../support/eventually.js';
import { ask } from '../support/http-client.js';
import { WatchClient } from '../support/watch-client.js';
import type { WireObject } from '../support/wire-object.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** A term as somebody concludes it who sees the lease alone. */
export interface SeenTerm {
  readonly lease: string;
  readonly holder: string;
  readonly token: string;
  /** 'taken' by another holder; undefined while it lasts. */
  ended?: 'Released' | 'taken' | 'Deleted';
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
}

/** Watches the leases of the namespace default from their beginning, and concludes from each change who holds which lease. */
export class LeaseWatcher {
  readonly #url: string;
  readonly #watch: WatchClient;
  readonly #terms: SeenTerm[] = [];
  readonly #open = new Map<string, SeenTerm & { readonly transitions: unknown }>();
  #taken = 0;

  constructor(url: string) {
    this.#url = url;
    this.#watch = new WatchClient(`${url}${LEASES}?watch=true&resourceVersion=0`);
  }

  opened(): Promise<unknown> {
    return this.#watch.response;
  }

  /** In the order of their tokens. */
  get terms(): readonly SeenTerm[] {
    this.#take();
    return this.#terms;
  }

  /** The leases that this holder holds now. */
  heldBy(holder: string): string[] {
    this.#take();
    return [...this.#open.values()].filter((term) => term.holder === holder).map(({ lease }) => lease);
  }

  get heldLeases(): number {
    this.#take();
    return this.#open.size;
  }

  /** Waits until the watch has delivered all that is stored; for when nobody writes any more. */
  async complete(): Promise<void> {
    const { items = [] } = (await ask(`${this.#url}${LEASES}`)).json;
    const last = Math.max(...items.map(revisionOf));
    await eventually(() => this.#watch.events.some(({ object }) => revisionOf(object) >= last));
  }

  close(): void {
    this.#watch.abort();
  }

  #take(): void {
    const { events } = this.#watch;
    for (; this.#taken < events.length; this.#taken++) {
      const { type, object } = events[this.#taken]!;
      this.#see(type, object);
    }
  }

  #see(type: string, object: WireObject): void {
    const lease = object.metadata?.name ?? '';
    const { holderIdentity = '', leaseTransitions: transitions } = (object.spec ?? {}) as LeaseSpec;
    const holder = type === 'DELETED' ? '' : holderIdentity;
    const open = this.#open.get(lease);
    if (open && open.holder === holder && open.transitions === transitions) return;
    if (open) open.ended = type === 'DELETED' ? 'Deleted' : holder === '' ? 'Released' : 'taken';
    this.#open.delete(lease);
    if (holder === '') return;
    const term = { lease, holder, token: String(revisionOf(object)), transitions };
    this.#terms.push(term);
    this.#open.set(lease, term);
  }
}

function revisionOf({ metadata }: WireObject): number {
  return Number(metadata?.resourceVersion);
}

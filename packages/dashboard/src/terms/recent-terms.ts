import type { ApiClient } from '../api/api-client.js';
import { ApiFailure } from '../api/api-failure.js';
import { isFlapping } from '../leases/flapping.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { readTerms } from './read-terms.js';
import { recentlyAcquired } from './recently-acquired.js';
import { type Term, seenTerms, withSeen } from './term.js';
import type { TermArchive } from './term-archive.js';

/** Number of leases whose terms are read, and of terms for each. */
export const MAX_LEASES = 200;
const TERMS = 20;
/** A browser may have only six connections to the server. */
const AT_ONCE = 2;
const RETRY_MS = 20_000;

/**
 * What tells flapping leases among all of them: the terms before the page was opened, read once for each list, of the leases that changed
 * hands last. Later changes the page sees itself. The archive, by contrast, keeps whole histories of the few leases that a page shows.
 */
export class RecentTerms {
  /** Whether the user may not read terms. */
  refused = false;
  /** How many leases may have changed hands lately, of which the server was not asked about. */
  leftOut = 0;
  readonly #client: Pick<ApiClient, 'json'>;
  readonly #archive: Pick<TermArchive, 'service' | 'discover'>;
  readonly #recorded = new Map<string, readonly Term[]>();
  #list = 0;
  #notBefore = 0;
  #abort = new AbortController();

  constructor(client: Pick<ApiClient, 'json'>, archive: Pick<TermArchive, 'service' | 'discover'>) {
    this.#client = client;
    this.#archive = archive;
  }

  /** Reads what is missing. Called with every rendering of the list. */
  follow({ lists, leases }: Pick<LeaseStore, 'lists' | 'leases'>, now: number): void {
    if (lists === this.#list || now < this.#notBefore) return;
    this.#archive.discover();
    if (this.#archive.service !== 'served') return;
    this.#list = lists;
    this.refused = false;
    this.stop();
    const { signal } = (this.#abort = new AbortController());
    const found = recentlyAcquired(leases.values(), now);
    const asked = found.slice(0, MAX_LEASES);
    this.leftOut = found.length - asked.length;
    const keys = new Set(asked.map(({ key }) => key));
    for (const key of this.#recorded.keys()) if (!keys.has(key)) this.#recorded.delete(key);
    const rest = asked.values();
    void Promise.all(Array.from({ length: AT_ONCE }, () => this.#read(rest, signal))).catch((error: unknown) => {
      if (signal.aborted) return;
      this.stop();
      this.refused = error instanceof ApiFailure && error.status === 403;
      if (this.refused) return;
      this.#list = 0;
      this.#notBefore = now + RETRY_MS;
    });
  }

  flaps(lease: ObservedLease, now: number): boolean {
    if (isFlapping(lease.terms, now)) return true;
    const recorded = this.#recorded.get(lease.key);
    return recorded !== undefined && isFlapping(withSeen(recorded, seenTerms(lease)), now);
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Several of these share the leases. */
  async #read(leases: Iterable<ObservedLease>, signal: AbortSignal): Promise<void> {
    for (const { key, namespace, name } of leases) {
      const { terms } = await readTerms(this.#client, { namespace, name, depth: TERMS, known: undefined }, signal);
      if (signal.aborted) return;
      this.#recorded.set(key, terms);
    }
  }
}

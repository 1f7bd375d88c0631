import { type ApiClient, ApiFailure } from '../api/api-client.js';
import type { LeaseStore } from '../leases/lease-store.js';
import { timeOf } from '../leases/observe-lease.js';
import { type ObservedLease, isFlapping, leaseState } from '../leases/observed-lease.js';
import { readTerms } from './read-terms.js';
import type { TermArchive } from './term-archive.js';
import { type Term, seenTerms, withSeen } from './term.js';

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

/** Twice the time in which a flapping lease changes hands: acquireTime is by the holder's clock, which may be wrong. */
const RECENT_MS = 20 * 60_000;

/**
 * The leases that were acquired lately by their own words, the last one first, and after them those that do not say when, those with the most
 * transitions first. No other lease is flapping, unless its holders leave the acquireTime of an earlier one.
 */
export function recentlyAcquired(leases: Iterable<ObservedLease>, now: number): ObservedLease[] {
  const found: (readonly [lease: ObservedLease, acquired: number])[] = [];
  for (const lease of leases) {
    const acquired = timeOf(lease.lease.spec?.acquireTime);
    if (acquired === undefined ? leaseState(lease, now) === 'never-held' : acquired < now - RECENT_MS) continue;
    found.push([lease, acquired ?? 0]);
  }
  return found.sort(([a, one], [b, other]) => other - one || b.transitions - a.transitions).map(([lease]) => lease);
}

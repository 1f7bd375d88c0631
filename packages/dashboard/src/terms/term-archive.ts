import { type ApiClient, ApiFailure } from '../api/api-client.js';
import { FrameSignal } from '../shell/live-leases.js';
import { type LeaseTerms, HISTORY, readTerms } from './read-terms.js';
import type { Term } from './term.js';

/** How many terms of a lease are read at first, how many more whenever the user asks for earlier ones, and at most. */
const STEP = 10_000;
const DEEPEST = 50_000;
/** Leases that change hands all the time are asked about once a second and, if they have many terms, for a tenth of the time at most. */
const SOONEST_MS = 1000;
const PAUSES = 10;
/** Lapses change no lease, so terms in use are read again from time to time. */
const STALE_MS = 20_000;
const AT_ONCE = 3;
const KEPT_LEASES = 200;
/** What was wanted this recently is still on the page, and stays: a page with more leases than that would ask for them without end. */
const SHOWN_MS = 10_000;

/** `absent`: the server does not serve terms; `refused`: the user may not read them. */
export type Service = 'unknown' | 'served' | 'absent' | 'refused';

/** A lease whose terms are wanted. `mark` changes when its terms have changed. */
export interface Wanted {
  readonly namespace: string;
  readonly name: string;
  readonly mark: string;
}

interface Entry {
  known: LeaseTerms | undefined;
  depth: number;
  failure: ApiFailure | undefined;
  mark: string | undefined;
  askedAt: number;
  wantedAt: number;
  tookMs: number;
  asking: boolean;
}

/**
 * Terms of leases as the server has recorded them, one list for each lease that a page shows: the server finds those of one lease by an
 * index. Pages call `want` with every rendering.
 */
export class TermArchive {
  readonly changed = new FrameSignal();
  service: Service = 'unknown';
  failure: ApiFailure | undefined;
  readonly #client: Pick<ApiClient, 'json'>;
  readonly #entries = new Map<string, Entry>();
  readonly #abort = new AbortController();
  #discovering = false;

  constructor(client: Pick<ApiClient, 'json'>) {
    this.#client = client;
  }

  /** The terms known now, or undefined; reads them if they are unknown or out of date. */
  want(wanted: Wanted, now: number): LeaseTerms | undefined {
    const key = `${wanted.namespace}/${wanted.name}`;
    const entry = this.#entryOf(key, now);
    this.discover();
    const age = now - entry.askedAt;
    const isDue = entry.mark !== wanted.mark ? age >= Math.max(SOONEST_MS, PAUSES * entry.tookMs) : age >= STALE_MS;
    if (this.service === 'served' && !entry.asking && isDue && this.#asking() < AT_ONCE) void this.#ask(entry, wanted, now);
    return entry.known;
  }

  /** The terms that are known by now. */
  known({ namespace, name }: Pick<Wanted, 'namespace' | 'name'>): LeaseTerms | undefined {
    return this.#entries.get(`${namespace}/${name}`)?.known;
  }

  /** The term that lasts, if terms were read since the lease's last change. */
  openTerm({ namespace, name, mark }: Wanted): Term | undefined {
    const entry = this.#entries.get(`${namespace}/${name}`);
    const last = entry?.known?.terms.at(-1);
    return entry?.mark === mark && !entry.asking && !entry.failure && last?.to === undefined ? last : undefined;
  }

  /** Whether terms before the known ones may be asked for. */
  canReadFurther(lease: Pick<Wanted, 'namespace' | 'name'>): boolean {
    const entry = this.#entries.get(`${lease.namespace}/${lease.name}`);
    return entry?.known?.hasEarlier === true && entry.depth < DEEPEST;
  }

  /** Has terms before the known ones read with the next rendering. */
  readFurther({ namespace, name }: Pick<Wanted, 'namespace' | 'name'>): void {
    const entry = this.#entries.get(`${namespace}/${name}`);
    if (!entry) return;
    entry.depth = Math.min(entry.depth + STEP, DEEPEST);
    entry.askedAt = -Infinity;
    this.changed.poke();
  }

  failureOf({ namespace, name }: Pick<Wanted, 'namespace' | 'name'>): ApiFailure | undefined {
    return this.#entries.get(`${namespace}/${name}`)?.failure;
  }

  stop(): void {
    this.#abort.abort();
  }

  #entryOf(key: string, now: number): Entry {
    const entry = this.#entries.get(key) ?? {
      known: undefined,
      depth: STEP,
      failure: undefined,
      mark: undefined,
      askedAt: -Infinity,
      wantedAt: now,
      tookMs: 0,
      asking: false,
    };
    entry.wantedAt = now;
    // The ones used last are at the end of the map.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const [oldest, { wantedAt }] of this.#entries) {
      if (this.#entries.size <= KEPT_LEASES || now - wantedAt < SHOWN_MS) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }

  #asking(): number {
    let count = 0;
    for (const { asking } of this.#entries.values()) if (asking) count++;
    return count;
  }

  /**
   * Finds out whether terms are served, if that is unknown. Discovery is open to every authenticated user, so it tells an absent group from a
   * missing right.
   */
  discover(): void {
    if (this.service !== 'unknown' || this.#discovering) return;
    this.#discovering = true;
    this.#client.json(`/apis/${HISTORY}`, { signal: this.#abort.signal }).then(
      () => this.#tell('served', undefined),
      (error: unknown) => {
        if (this.#abort.signal.aborted) return;
        const failure = asFailure(error);
        const service = failure.status === 404 ? 'absent' : failure.status === 403 ? 'refused' : 'unknown';
        // The next rendering after a while tries again.
        if (service === 'unknown') setTimeout(() => (this.#discovering = false), STALE_MS / 4);
        this.#tell(service, failure);
      },
    );
  }

  #tell(service: Service, failure: ApiFailure | undefined): void {
    this.service = service;
    this.failure = failure;
    this.changed.poke();
  }

  async #ask(entry: Entry, { namespace, name, mark }: Wanted, now: number): Promise<void> {
    Object.assign(entry, { asking: true, askedAt: now, mark });
    const began = performance.now();
    try {
      entry.known = await readTerms(this.#client, { namespace, name, depth: entry.depth, known: entry.known }, this.#abort.signal);
      entry.failure = undefined;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      entry.failure = asFailure(error);
    } finally {
      entry.asking = false;
      entry.tookMs = performance.now() - began;
      this.changed.poke();
    }
  }
}

function asFailure(error: unknown): ApiFailure {
  return error instanceof ApiFailure ? error : new ApiFailure(0, String(error));
}

/** Limit on delivered but unsent items of all watchers together, in bytes. */
const BUDGET_BYTES = 256 * 1024 * 1024;

/** A watcher with a backlog. */
export interface Debtor {
  readonly unsent: number;
  end(reason: 'slow'): void;
}

/**
 * The unsent bytes of all watchers. Each watcher is bounded by its own budget; this bounds many that read nothing: while half of the budget
 * is used, watchers that are behind get nothing more for now, and above it the slowest one is closed.
 */
export class BacklogBudget {
  readonly #limit: number;
  readonly #watchers: Iterable<Debtor>;
  #total = 0;

  constructor(watchers: Iterable<Debtor>, limit = BUDGET_BYTES) {
    this.#watchers = watchers;
    this.#limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  get tight(): boolean {
    return this.#total > this.#limit / 2;
  }

  /** The backlog of a watcher changed by this many bytes. */
  change(bytes: number): void {
    this.#total += bytes;
    if (bytes > 0 && this.#total > this.#limit) this.#slowest()?.end('slow');
  }

  #slowest(): Debtor | undefined {
    let slowest: Debtor | undefined;
    for (const watcher of this.#watchers) if (watcher.unsent > (slowest?.unsent ?? 0)) slowest = watcher;
    return slowest;
  }
}

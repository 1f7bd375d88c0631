import type { Cluster } from '../postgres/cluster.js';
import type { Commit, History } from './history.js';
import { isBefore } from './history.js';

/** What was committed at a moment, by every database that took writes. */
export interface Mark {
  readonly at: number;
  readonly heads: readonly Commit[];
  readonly births: number;
}

/** What a consistent read must show: everything committed before it, in one of the databases that a connection may lead to. */
export class Freshness {
  readonly #history: History;
  readonly #cluster: Cluster;
  readonly #now: () => number;

  constructor(history: History, cluster: Cluster, now: () => number) {
    this.#history = history;
    this.#cluster = cluster;
    this.#now = now;
  }

  mark(): Mark {
    const { living, births } = this.#cluster;
    return { at: this.#now(), heads: living.map(({ contents }) => contents.head), births: births.length };
  }

  /** Where a history may have stood at this moment or have begun since. */
  headsSince(mark: Mark): Commit[] {
    return [...mark.heads, ...this.#cluster.births.slice(mark.births).map(({ head }) => head)];
  }

  /** The last commits of all histories there may have been since. */
  headsUntilNow(mark: Mark): Commit[] {
    return [...this.headsSince(mark), ...this.mark().heads, this.#cluster.contents.head];
  }

  isReached(mark: Mark, revision: number): boolean {
    const commit = this.#history.commitOf(revision);
    return commit !== undefined && this.headsSince(mark).some((head) => isBefore(head, commit));
  }

  /** Whether the database has gone on without something since. */
  lostSince(at: number): boolean {
    return this.#cluster.lastLoss >= at;
  }

  /** Whether the log no longer reaches back to a revision. */
  isForgotten(revision: number): boolean {
    return [this.#cluster.contents, ...this.#cluster.living.map(({ contents }) => contents)].some(
      ({ compaction, lineages }) =>
        revision < compaction.revision || lineages.some(({ ended, began }) => ended < revision && revision < began),
    );
  }
}

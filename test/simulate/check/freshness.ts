import type { Cluster } from '../postgres/cluster.js';
import { type Commit, type History, isBefore } from './history.js';

/** The commits at one moment in every database that accepted writes. */
export interface Mark {
  readonly at: number;
  readonly heads: readonly Commit[];
  /** Number of databases that had started, and that had ended, by then. */
  readonly births: number;
  readonly ends: number;
}

/** A consistent read must show everything committed before it in one of the databases that a connection may lead to. */
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
    const { living, births, ends } = this.#cluster;
    return { at: this.#now(), heads: living.map(({ contents }) => contents.head), births: births.length, ends: ends.length };
  }

  /** Possible heads of histories at this moment, or of those begun since. */
  headsSince(mark: Mark): Commit[] {
    return [...mark.heads, ...this.#cluster.births.slice(mark.births).map(({ head }) => head)];
  }

  /** The last commits of all possible histories since then, including databases that have ended meanwhile. */
  headsUntilNow(mark: Mark): Commit[] {
    return [...this.headsSince(mark), ...this.#cluster.ends.slice(mark.ends), ...this.mark().heads, this.#cluster.contents.head];
  }

  isReached(mark: Mark, revision: number): boolean {
    const commit = this.#history.commitOf(revision);
    return commit !== undefined && this.headsSince(mark).some((head) => isBefore(head, commit));
  }

  /** Whether the database has lost commits since then. */
  lostSince(at: number): boolean {
    return this.#cluster.lastLoss >= at;
  }

  /** Whether the log no longer covers a revision. */
  isForgotten(revision: number): boolean {
    return [this.#cluster.contents, ...this.#cluster.living.map(({ contents }) => contents)].some(
      ({ compaction, lineages }) =>
        revision < compaction.revision || lineages.some(({ ended, began }) => ended < revision && revision < began),
    );
  }
}

import { Finding } from '../world/world.js';

export interface ObjectState {
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

/** A committed change. For D, the deleted state. */
export interface Entry {
  readonly kind: 'A' | 'M' | 'D';
  readonly revision: number;
  readonly object: ObjectState;
  readonly previous?: ObjectState | undefined;
}

export type States = ReadonlyMap<string, ObjectState>;

/** The revisions `from < revision <= to`, assigned by one commit, with its predecessor. */
export interface Commit {
  readonly from: number;
  readonly to: number;
  readonly parent: Commit | undefined;
  readonly entries: readonly Entry[];
  readonly states: States;
}

/**
 * Everything ever committed anywhere, as a tree: a copy that replaces the database continues from the point at which it was copied. A
 * branch is therefore a history, and changes on other branches are lost.
 */
export class History {
  /** Ordered by revision. */
  readonly #commits: Commit[] = [];
  readonly #onCommit: (commit: Commit) => void;
  /** Those that are visible, and not yet on disk. */
  readonly #unflushed = new Set<Commit>();
  readonly root: Commit = { from: 0, to: 1000, parent: undefined, entries: [], states: new Map() };

  /** `onCommit` checks each commit. */
  constructor(onCommit: (commit: Commit) => void = () => undefined) {
    this.#commits.push(this.root);
    this.#onCommit = onCommit;
  }

  get size(): number {
    return this.#commits.length;
  }

  add(parent: Commit, from: number, to: number, entries: readonly Entry[]): Commit {
    const commit = { from, to, parent, entries, states: entries.length > 0 ? after(parent.states, entries) : parent.states };
    if (from < parent.to) throw new Finding(`revision ${from + 1} is given after ${parent.to}`);
    const at = this.#indexAfter(from);
    const before = this.#commits[at - 1];
    const next = this.#commits[at];
    if ((before && before.to > from) || (next && next.from < to)) throw new Finding(`a revision of ${from + 1} to ${to} is given twice`);
    this.#commits.splice(at, 0, commit);
    this.#onCommit(commit);
    return commit;
  }

  /** `commit` is not on disk, and may be taken back. */
  isVisible(commit: Commit): void {
    this.#unflushed.add(commit);
  }

  flushed(commit: Commit): void {
    this.#unflushed.delete(commit);
  }

  /** A crash has lost a commit that was not on disk: its revisions may be given again. */
  takeBack(commit: Commit): void {
    this.#unflushed.delete(commit);
    this.#commits.splice(this.#commits.indexOf(commit), 1);
  }

  /** A client is told of a revision, or of what rests on it. */
  told(revision: number): void {
    const commit = this.commitOf(revision);
    if (commit && this.#unflushed.has(commit)) throw new Finding(`a client is told of revision ${revision}, which is not on disk`);
  }

  /** The commit that assigned this revision. */
  commitOf(revision: number): Commit | undefined {
    const commit = this.#commits[this.#indexAfter(revision - 1) - 1];
    return commit && commit.to >= revision ? commit : undefined;
  }

  /** The objects that existed at an assigned revision. */
  statesAt(revision: number): States | undefined {
    const commit = this.commitOf(revision);
    if (!commit) return undefined;
    if (revision === commit.to) return commit.states;
    return after(
      commit.parent?.states ?? new Map(),
      commit.entries.filter((entry) => entry.revision <= revision),
    );
  }

  *all(): Generator<Commit> {
    yield* this.#commits;
  }

  /** Index of the first commit whose `from` is greater than this. */
  #indexAfter(from: number): number {
    let low = 0;
    let high = this.#commits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#commits[middle]!.from <= from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether a history that contains `commit` contains this revision or may still assign it. */
export function leadsTo(commit: Commit, revision: number): boolean {
  if (revision > commit.to) return true;
  return holds(commit, revision);
}

/** Whether the history up to this commit assigned the revision. */
export function holds(commit: Commit, revision: number): boolean {
  let at: Commit | undefined = commit;
  while (at && at.from >= revision) at = at.parent;
  return at !== undefined && revision <= at.to;
}

/** Whether one commit equals the other or precedes it in its history. */
export function isBefore(early: Commit, late: Commit): boolean {
  let at: Commit | undefined = late;
  while (at && at.from > early.from) at = at.parent;
  return at === early;
}

/** The changes of a history with `after < revision <= upTo`, in order. */
export function entriesBetween(commit: Commit, after: number, upTo: number): Entry[] {
  const entries: Entry[] = [];
  for (let at: Commit | undefined = commit; at && at.to > after; at = at.parent) {
    for (const entry of at.entries.toReversed()) if (entry.revision > after && entry.revision <= upTo) entries.push(entry);
  }
  return entries.reverse();
}

export function nameOf(object: { readonly resource: string; readonly path: string }): string {
  return `${object.resource} ${object.path}`;
}

function after(states: States, entries: readonly Entry[]): States {
  const next = new Map(states);
  for (const { kind, object } of entries) {
    if (kind === 'D') next.delete(nameOf(object));
    else next.set(nameOf(object), object);
  }
  return next;
}

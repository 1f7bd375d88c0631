import { objectPath } from '../../../src/storage/object-path.js';
import type { ObjectKey, StoredObject } from '../../../src/storage/object-store.js';
import { TERM_RESOURCE } from '../../../src/storage/term-change.js';
import { type StorageErrorCode, isStorageError } from '../../../src/storage/storage-errors.js';
import { Finding } from '../world/world.js';
import type { Freshness, Mark } from './freshness.js';
import { type Commit, type Entry, type History, entriesBetween, nameOf } from './history.js';
import { stateText, textOf } from './read-check.js';

export interface WriteAttempt {
  readonly kind: 'A' | 'M' | 'D';
  readonly key: ObjectKey;
  readonly current?: StoredObject;
  readonly container?: ObjectKey;
  /** A unique text in the written object; for a deletion, empty. */
  readonly id: string;
  readonly mark: Mark;
  /** Whether its requester may have given up. */
  readonly hurried: boolean;
  state: 'open' | 'done' | 'unknown' | 'refused';
}

/** Errors which guarantee that nothing was written. */
const CERTAIN: readonly StorageErrorCode[] = [
  'Exists',
  'NotFound',
  'Conflict',
  'ContainerMissing',
  'ContainerTerminating',
  'Abandoned',
  'Unavailable',
];

/** Writes are compare-and-sets: each took effect on the state it named, or was refused for a valid reason. */
export class WriteCheck {
  readonly #history: History;
  readonly #freshness: Freshness;
  readonly #attempts = new Map<string, WriteAttempt[]>();
  readonly #acknowledged = new Set<number>();

  constructor(history: History, freshness: Freshness) {
    this.#history = history;
    this.#freshness = freshness;
  }

  begin(attempt: WriteAttempt): void {
    const name = attempt.kind === 'D' ? deletionOf(nameOfKey(attempt.key), attempt.current?.revision) : attempt.id;
    this.#attempts.set(name, [...(this.#attempts.get(name) ?? []), attempt]);
  }

  /** `object` is the store's result; for a deletion, there is only its revision. */
  done(attempt: WriteAttempt, revision: number, object?: StoredObject): void {
    attempt.state = 'done';
    if (this.#acknowledged.has(revision)) throw new Finding(`two writes are acknowledged with revision ${revision}`);
    this.#acknowledged.add(revision);
    this.#history.told(revision);
    const entry = this.#history.commitOf(revision)?.entries.find((found) => found.revision === revision);
    if (!entry) throw new Finding(`a write of ${nameOfKey(attempt.key)} is acknowledged with ${revision}, and was not committed`);
    this.#checkEntry(attempt, entry);
    if (object && stateText(entry.object) !== textOf(object)) {
      throw new Finding(`a write is answered with ${textOf(object)}, and made ${stateText(entry.object)}`);
    }
  }

  refused(attempt: WriteAttempt, error: unknown): void {
    if (!isStorageError(error)) throw error;
    attempt.state = CERTAIN.includes(error.code) ? 'refused' : 'unknown';
    if (error.code === 'Abandoned' && !attempt.hurried) throw new Finding(`a write in time is refused: ${error.message}`);
    const heads = this.#freshness.headsUntilNow(attempt.mark);
    if (isReason(error.code) && !heads.some((head) => this.#hasReason(error.code, attempt, head))) {
      throw new Finding(`a write of ${nameOfKey(attempt.key)} is refused for nothing: ${error.code}, ${error.message}`);
    }
  }

  /** At the end: everything in the history was attempted, was not reported as failed, and occurs once. */
  finish(head: Commit): void {
    const seen = new Set<string>();
    for (const entry of entriesBetween(head, 0, head.to)) {
      this.#checkContainer(entry);
      const name = attemptOf(entry);
      const attempts = name === undefined ? undefined : this.#attempts.get(name);
      if (name === undefined || !attempts) continue;
      if (attempts.every(({ state }) => state === 'refused')) {
        throw new Finding(`${name} was refused, and took effect at ${entry.revision}`);
      }
      if (seen.has(name)) throw new Finding(`${name} took effect twice, at last at ${entry.revision}`);
      seen.add(name);
    }
  }

  #checkEntry({ kind, key, current, id }: WriteAttempt, entry: Entry): void {
    const name = nameOfKey(key);
    if (entry.kind !== kind || nameOf(entry.object) !== name || (kind !== 'D' && !entry.object.data.includes(id))) {
      throw new Finding(`a write of ${name} is acknowledged with the revision of another one, ${entry.revision}`);
    }
    if (entry.previous?.revision !== current?.revision) {
      throw new Finding(
        `${name} was replaced at ${entry.revision}: expected was ${current?.revision}, there was ${entry.previous?.revision}`,
      );
    }
  }

  /** Nothing is created while its container is missing or terminating, but for terms: another holder may take a lease that is left there. */
  #checkContainer({ kind, object, revision }: Entry): void {
    const slash = object.path.indexOf('/');
    if (kind !== 'A' || slash < 0 || object.resource === TERM_RESOURCE) return;
    const container =
      this.#history.statesAt(revision - 1)?.get(`namespaces ${object.path.slice(0, slash)}`) ?? this.#containerBefore(object, revision);
    if (!container || container.terminating) throw new Finding(`${nameOf(object)} was created at ${revision} without its namespace`);
  }

  #containerBefore(object: { path: string }, revision: number) {
    return this.#history.commitOf(revision)?.parent?.states.get(`namespaces ${object.path.slice(0, object.path.indexOf('/'))}`);
  }

  #hasReason(code: StorageErrorCode, { kind, key, current, container, mark }: WriteAttempt, head: Commit): boolean {
    const since = Math.min(...mark.heads.map(({ to }) => to), head.to);
    const state = head.states.get(nameOfKey(key));
    const touched = (name: string) => entriesBetween(head, since, head.to).some(({ object }) => nameOf(object) === name);
    if (kind !== 'A') return state?.revision !== current?.revision;
    if (code === 'Exists') return state !== undefined || touched(nameOfKey(key));
    const parent = container && head.states.get(nameOfKey(container));
    return container !== undefined && (!parent || parent.terminating || touched(nameOfKey(container)));
  }
}

function isReason(code: StorageErrorCode): boolean {
  return ['Exists', 'NotFound', 'Conflict', 'ContainerMissing', 'ContainerTerminating'].includes(code);
}

function attemptOf({ kind, object, previous }: Entry): string | undefined {
  if (kind === 'D') return deletionOf(nameOf(object), previous?.revision);
  return /"w":"([^"]+)"/.exec(object.data)?.[1];
}

function deletionOf(name: string, revision: number | undefined): string {
  return `the deletion of ${name} at ${revision}`;
}

function nameOfKey(key: ObjectKey): string {
  return nameOf({ resource: key.resource, path: objectPath(key) });
}

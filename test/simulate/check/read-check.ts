import { objectPath } from '../../../src/storage/object-path.js';
import type { Consistency, KeyRange, StoredObject } from '../../../src/storage/object-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import { Finding } from '../world/world.js';
import type { Freshness, Mark } from './freshness.js';
import { type History, type ObjectState, nameOf } from './history.js';

export interface ReadRequest {
  readonly range: KeyRange;
  readonly consistency: Consistency;
  /** First path of the page, and the maximum number of objects. */
  readonly start?: string;
  readonly limit?: number;
  readonly predicate?: (object: { readonly data: string }) => boolean;
}

export interface Answer {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
  readonly more?: boolean;
  readonly remaining?: number | undefined;
}

/** Reads are snapshots: they show one assigned revision, with everything that existed then, and are recent enough. */
export class ReadCheck {
  readonly #history: History;
  readonly #freshness: Freshness;

  constructor(history: History, freshness: Freshness) {
    this.#history = history;
    this.#freshness = freshness;
  }

  answered(request: ReadRequest, mark: Mark, answer: Answer): void {
    this.#checkRevision(request.consistency, mark, answer.revision);
    this.isSnapshot(request, answer);
  }

  /** Whether a read may have been refused with this error. */
  refused({ consistency }: ReadRequest, error: unknown): void {
    if (!isStorageError(error)) throw error;
    const lost = this.#freshness.lostSince(-Infinity);
    const requested = 'revision' in consistency ? Number(consistency.revision) : 0;
    if (error.code === 'Compacted' && !lost && !this.#freshness.isForgotten(requested)) {
      throw new Finding(`a read at ${requested} is answered 410, and the log reaches back that far: ${error.message}`);
    }
    if (error.code === 'TooLargeRevision' && consistency.kind === 'exact' && !lost) {
      throw new Finding(`a read at ${requested}, which was given out, is said to be in the future: ${error.message}`);
    }
    if (!['Compacted', 'TooLargeRevision', 'Unavailable', 'TooManyReads'].includes(error.code)) throw error;
  }

  isSnapshot(request: ReadRequest, { objects, revision, more, remaining }: Answer): void {
    const states = this.#history.statesAt(revision);
    if (!states) throw new Finding(`a read is of revision ${revision}, which was never given out`);
    this.#history.told(revision);
    const all = [...states.values()].filter((state) => isIn(request, state)).sort((a, b) => (a.path < b.path ? -1 : 1));
    const matching = request.predicate ? all.filter(request.predicate) : all;
    const expected = request.limit ? matching.slice(0, request.limit) : matching;
    const [found, wanted] = [objects.map(textOf), expected.map(stateText)];
    if (found.join() !== wanted.join()) throw new Finding(`a list at ${revision} has ${found.join(' ')}; there was ${wanted.join(' ')}`);
    if (request.predicate || more === undefined) return;
    if (more !== matching.length > expected.length) {
      throw new Finding(`a list at ${revision} says that there is ${more ? 'more' : 'no more'}`);
    }
    if (remaining !== undefined && remaining !== matching.length - expected.length) {
      throw new Finding(`a list at ${revision} says that ${remaining} remain, and ${matching.length - expected.length} do`);
    }
  }

  #checkRevision(consistency: Consistency, mark: Mark, revision: number): void {
    if (consistency.kind === 'latest' && !this.#freshness.isReached(mark, revision)) {
      const heads = mark.heads.map(({ to }) => to).join(', ');
      throw new Finding(`a consistent read is of revision ${revision}, and ${heads} was committed before it`);
    }
    if (consistency.kind === 'notOlderThan' && revision < consistency.revision && !this.#freshness.lostSince(-Infinity)) {
      throw new Finding(`a read not older than ${consistency.revision} is of revision ${revision}`);
    }
    if (consistency.kind === 'exact' && BigInt(revision) !== consistency.revision) {
      throw new Finding(`a read at ${consistency.revision} is of revision ${revision}`);
    }
  }
}

function isIn({ range, start = '' }: ReadRequest, { resource, path }: ObjectState): boolean {
  if (resource !== range.resource) return false;
  const prefix = range.namespace ? `${range.namespace}/` : '';
  if (range.name !== undefined) return path === prefix + range.name;
  return path.startsWith(prefix) && path >= prefix + start;
}

export function textOf({ key, uid, revision, data, terminating }: StoredObject): string {
  return stateText({ resource: key.resource, path: objectPath(key), uid, revision, data, terminating });
}

export function stateText(state: ObjectState): string {
  return `${nameOf(state)}@${state.revision}${state.terminating ? '!' : ''} ${state.uid} ${state.data}`;
}

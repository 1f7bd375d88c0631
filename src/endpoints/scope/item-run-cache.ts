import type { ItemRun } from '../../apimachinery/codec/serializer/serializer.js';
import type { StoredObject } from '../../storage/object-store.js';

/** Maximum length of the stored text in a run of several objects. */
const MAX_RUN_TEXT = 64 * 1024;

export type EncodeRun = (states: readonly StoredObject[]) => ItemRun;

/** Splits a list into runs, consecutive items that are encoded as one piece, without caching them. */
export function* inRuns(objects: readonly StoredObject[], encode: EncodeRun): Generator<ItemRun, undefined> {
  for (let at = 0; at < objects.length;) {
    const end = runEnd(objects, at);
    yield encode(objects.slice(at, end));
    at = end;
  }
}

/** A cached run: consecutive states and their encoding. */
interface KnownRun {
  readonly states: readonly StoredObject[];
  readonly encoded: ItemRun;
}

/**
 * Splits lists into runs of about 16 items and caches the encoding of each run, so that a change since the last list costs the encoding
 * of one run. Runs begin at certain uids, so that different lists and pages share them. A run is cached as long as its first state is in
 * memory, and can keep replaced states alive until then, at most one for each object.
 */
export class ItemRunCache {
  readonly #encode: EncodeRun;
  readonly #known = new WeakMap<StoredObject, KnownRun>();

  constructor(encode: EncodeRun) {
    this.#encode = encode;
  }

  *of(objects: readonly StoredObject[]): Generator<ItemRun, undefined> {
    for (let at = 0; at < objects.length;) {
      const { states, encoded } = this.#runAt(objects, at);
      yield encoded;
      at += states.length;
    }
  }

  #runAt(objects: readonly StoredObject[], at: number): KnownRun {
    const first = objects[at] as StoredObject;
    const known = this.#known.get(first);
    if (known && standsAt(known.states, objects, at)) return known;
    const states = objects.slice(at, runEnd(objects, at));
    const run = { states, encoded: this.#encode(states) };
    this.#known.set(first, run);
    return run;
  }
}

function standsAt(states: readonly StoredObject[], objects: readonly StoredObject[], at: number): boolean {
  for (let i = 0; i < states.length; i++) if (states[i] !== objects[at + i]) return false;
  return true;
}

function runEnd(objects: readonly StoredObject[], start: number): number {
  let text = 0;
  for (let at = start; at < objects.length; at++) {
    const { uid, data } = objects[at] as StoredObject;
    text += data.length;
    // The last digit of a random uid starts a run at one object in sixteen.
    if (at > start && (uid.endsWith('0') || text > MAX_RUN_TEXT)) return at;
  }
  return objects.length;
}

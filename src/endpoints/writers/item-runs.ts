import type { ItemRun } from '../../apimachinery/codec/serializer.js';
import type { StoredObject } from '../../storage/object-store.js';

/** A run is not longer than this, counted in stored text, unless it is a single object. */
const MAX_RUN_TEXT = 64 * 1024;

export type EncodeRun = (states: readonly StoredObject[]) => ItemRun;

/** A list in runs of which nothing is kept. */
export function* inRuns(objects: readonly StoredObject[], encode: EncodeRun): Generator<ItemRun, undefined> {
  for (let at = 0; at < objects.length;) {
    const end = runEnd(objects, at);
    yield encode(objects.slice(at, end));
    at = end;
  }
}

/** States that were listed one after another. */
interface KnownRun {
  readonly states: readonly StoredObject[];
  readonly encoded: ItemRun;
}

/**
 * Lists, cut into runs of about 16 items of which the encodings are kept: what has not changed since the last list costs next to nothing,
 * and a change costs the encoding of its run. Cuts are made by the objects' uids, so that different lists and pages have runs in common.
 * A run is kept as long as its first state is: until then it may keep states that are replaced already, at most one for each object.
 */
export class ItemRuns {
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
    // The last digit of a random uid: one object of sixteen begins a run.
    if (at > start && (uid.endsWith('0') || text > MAX_RUN_TEXT)) return at;
  }
  return objects.length;
}

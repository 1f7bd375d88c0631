import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { StoredObject } from '../../storage/object-store.js';

type Labels = Readonly<Record<string, string>>;

const NONE: Labels = {};
/** A shorter text is searched for labels again rather than remembered to have none. */
const SHORT = 4096;
const known = new WeakMap<StoredObject, Labels>();

/**
 * The labels of a stored state, parsed once per state. Stored JSON is canonical, so an object without the text `"labels":{` has none;
 * inside a string its quotes would be escaped.
 */
export function storedLabels(object: StoredObject): Labels {
  let labels = known.get(object);
  if (labels === undefined) {
    labels = object.data.includes('"labels":{') ? ((JSON.parse(object.data) as KubeObject).metadata.labels ?? NONE) : NONE;
    if (labels !== NONE || object.data.length >= SHORT) known.set(object, labels);
  }
  return labels;
}

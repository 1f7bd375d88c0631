import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { StoredObject } from '../../storage/object-store.js';

type Labels = Readonly<Record<string, string>>;

const NONE: Labels = {};
const known = new WeakMap<StoredObject, Labels>();

/**
 * The labels of a stored state, parsed once per state. Stored JSON is canonical, so an object without the text `"labels":{` has none;
 * inside a string its quotes would be escaped.
 */
export function storedLabels(object: StoredObject): Labels {
  if (!object.data.includes('"labels":{')) return NONE;
  let labels = known.get(object);
  if (labels === undefined) {
    labels = (JSON.parse(object.data) as KubeObject).metadata.labels ?? NONE;
    known.set(object, labels);
  }
  return labels;
}

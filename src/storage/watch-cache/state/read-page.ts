import { keyAfter } from '../../continue-token.js';
import { pathBounds } from '../../object-path.js';
import type { KeyRange, ListOptions, ListResult, StoredObject } from '../../object-store.js';
import type { StateView } from './resource-state.js';

/** Reads one page of a state. The cost depends on the page, not on the number of objects. */
export function readPage(view: StateView, revision: number, range: KeyRange, options: ListOptions): ListResult {
  const { predicate, start, limit = 0 } = options;
  const bounds = pathBounds(range, start);
  const objects: StoredObject[] = [];
  let last = '';
  view.scan(bounds, (object, path) => {
    if (predicate && !predicate(object)) return true;
    last = path;
    return objects.push(object) !== limit;
  });
  const full = limit > 0 && objects.length === limit;
  const remaining = full ? view.count({ from: keyAfter(last), to: bounds.to }) : 0;
  return { objects, revision, more: remaining > 0, remaining: predicate ? undefined : remaining };
}

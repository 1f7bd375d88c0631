import type { ManagedFieldsEntry } from '../meta/object-meta.js';
import type { Comparison } from './comparison.js';
import { MAX_UPDATE_MANAGERS } from './cap-managers.js';
import { compareEntries } from './managed-fields-entry.js';
import type { FieldPath } from './path-element.js';
import { isStripped } from './strip-meta.js';

/**
 * The short way for writes that move no ownership, such as every renewal of a lease: the changed paths are owned by the
 * writer's entry and by no other, so that only that entry's time moves. Looks the paths up in the entries as they are, which
 * works because the server wrote them in canonical form. Answers the new list (`entries` itself if not even the time moves),
 * or undefined where the long way has to be taken.
 */
export function keepOwnership(
  entries: ManagedFieldsEntry[],
  changes: Comparison,
  writer: { readonly manager: string; readonly apiVersion: string; readonly now: string },
): ManagedFieldsEntry[] | undefined {
  let own = -1;
  let updates = 0;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at];
    if (entry === undefined || entry.apiVersion !== writer.apiVersion) return undefined;
    if (entry.operation !== 'Update') continue;
    updates++;
    if (entry.manager === writer.manager && !entry.subresource) own = at;
  }
  if (updates > MAX_UPDATE_MANAGERS || changes.removed.some((path) => entries.some((entry) => owns(entry, path)))) return undefined;
  const gained = [...changes.added, ...changes.modified].filter((path) => !isStripped(path));
  if (gained.length === 0) return entries;
  if (own < 0 || !gained.every((path) => entries.every((entry, at) => owns(entry, path) === (at === own)))) return undefined;
  return withTime(entries, own, writer.now);
}

function owns(entry: ManagedFieldsEntry, path: FieldPath): boolean {
  let node = entry.fieldsV1;
  for (const element of path) {
    if (node === undefined) return false;
    node = node[element] as Record<string, unknown> | undefined;
  }
  if (node === undefined) return false;
  if (node['.'] !== undefined) return true;
  for (const _child in node) return false;
  return true;
}

function withTime(entries: ManagedFieldsEntry[], at: number, now: string): ManagedFieldsEntry[] {
  const own = entries[at] ?? {};
  if (own.time === now) return entries;
  const result = entries.slice();
  const { manager, operation, apiVersion, fieldsType, fieldsV1 } = own;
  result[at] = { manager, operation, apiVersion, time: now, fieldsType, fieldsV1 };
  return result.length === 1 ? result : result.sort(compareEntries);
}

import type { ManagedFieldsEntry } from '../../meta/object-meta.schema.js';
import { MAX_UPDATE_MANAGERS } from './cap-managers.js';
import { compareEntries } from './managed-fields-entry.js';
import type { FieldPath } from '../fieldpath/path-element.js';
import { isStripped } from './strip-meta.js';

/** The manager of a write. `now` is a wire time in whole seconds. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly now: string;
}

/**
 * The fast path for writes that do not change ownership, such as every lease renewal: the modified paths are owned only by the writer's
 * entry, so that only the time of that entry changes. It looks up the paths in the encoded entries, which works because the server wrote
 * them in canonical form. Returns the new list (`entries` itself if not even the time changes), or undefined if the full path must be
 * taken.
 */
export function keepOwnership(
  entries: readonly ManagedFieldsEntry[],
  modified: readonly FieldPath[],
  writer: Writer,
): readonly ManagedFieldsEntry[] | undefined {
  const own = findWriter(entries, writer);
  if (own === undefined) return undefined;
  let gains = false;
  for (const path of modified) {
    if (isStripped(path)) continue;
    if (own < 0) return undefined;
    gains = true;
    for (let at = 0; at < entries.length; at++) if (owns(entries[at], path) !== (at === own)) return undefined;
  }
  return gains ? withTime(entries, own, writer.now) : entries;
}

/** Index of the writer's entry, -1 if it has none; undefined for lists that must be converted or capped. */
function findWriter(entries: readonly ManagedFieldsEntry[], writer: Writer): number | undefined {
  let own = -1;
  let updates = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.apiVersion !== writer.apiVersion) return undefined;
    if (entry.operation !== 'Update') continue;
    updates++;
    if (entry.manager === writer.manager && !entry.subresource) own = at;
  }
  return updates > MAX_UPDATE_MANAGERS ? undefined : own;
}

function owns(entry: ManagedFieldsEntry | undefined, path: FieldPath): boolean {
  let node = entry?.fieldsV1;
  for (const element of path) {
    if (node === undefined) return false;
    node = node[element] as Record<string, unknown> | undefined;
  }
  if (node === undefined) return false;
  if (node['.'] !== undefined) return true;
  for (const _child in node) return false;
  return true;
}

function withTime(entries: readonly ManagedFieldsEntry[], at: number, now: string): readonly ManagedFieldsEntry[] {
  const own = entries[at] ?? {};
  if (own.time === now) return entries;
  const { manager, operation, apiVersion, fieldsType, fieldsV1 } = own;
  const result = entries.slice();
  result[at] = { manager, operation, apiVersion, time: now, fieldsType, fieldsV1 };
  return result.length === 1 ? result : result.sort(compareEntries);
}

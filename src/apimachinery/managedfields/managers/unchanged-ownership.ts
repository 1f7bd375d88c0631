import type { ManagedFieldsEntry } from '../../meta/object-meta.schema.js';
import { MAX_UPDATE_MANAGERS } from './cap-managers.js';
import { compareEntries } from './managed-fields-entry.js';
import type { FieldPath } from '../fieldpath/path-element.js';
import { isStripped } from './strip-meta.js';

/** The manager of a write. `now` is wire text in whole seconds. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly now: string;
}

/**
 * The short way for writes that move no ownership, such as every renewal of a lease: the modified paths are owned by the
 * writer's entry and by no other, so that only that entry's time moves. Looks the paths up in the entries as they are, which
 * works because the server wrote them in canonical form. Answers the new list (`entries` itself if not even the time moves),
 * or undefined where the long way has to be taken.
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

/** Where the writer's entry is, -1 if it has none; undefined for lists that are to be converted or capped. */
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

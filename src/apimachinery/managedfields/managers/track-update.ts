import { capManagers } from './cap-managers.js';
import type { Managers, ManagerState } from './managed-fields-entry.js';
import { managerIdentity } from './managed-fields-entry.js';
import { stripMeta } from './strip-meta.js';
import type { Change } from './update-managers.js';
import { findLosses, reconcileManagers, takeLosses } from './update-managers.js';
import type { VersionedTypes } from '../typed/versioned-types.js';

/** The manager, time and subresource of a write; '' or absent means no subresource. */
export interface UpdateWriter {
  readonly manager: string;
  readonly now: string;
  readonly subresource?: string;
}

/**
 * The owners after a write that is not an apply: the writer owns what it added or changed, and everybody, the writer's earlier
 * entry included, loses what was changed or removed (structured-merge-diff merge/update.go Update, with the layers that
 * apimachinery pkg/util/managedfields/internal puts around it: strip meta, entry times, cap).
 */
export function trackUpdate(types: VersionedTypes, change: Change, managers: Managers, by: UpdateWriter): Managers {
  const known = reconcileManagers(types, managers);
  const losses = findLosses(types, change, known);
  const result = takeLosses(known, losses);
  const gained = stripMeta(losses.comparison.changedSet);
  if (!gained.isEmpty) {
    const { manager, now, subresource = '' } = by;
    const writer = { manager, operation: 'Update', apiVersion: change.apiVersion, subresource } as const;
    const identity = managerIdentity(writer);
    const previous = result.get(identity);
    const state: ManagerState = { ...writer, time: now, set: previous === undefined ? gained : previous.set.union(gained) };
    result.set(identity, state);
  }
  capManagers(result);
  return result;
}

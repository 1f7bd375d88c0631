import { capManagers } from './cap-managers.js';
import { type Managers, type ManagerState, managerIdentity } from './managed-fields-entry.js';
import { stripMeta } from './strip-meta.js';
import { type Change, findLosses, reconcileManagers, takeLosses } from './update-managers.js';
import type { VersionedTypes } from '../typed/versioned-types.js';

/** The manager, time and subresource of a write; '' or absent means no subresource. */
export interface UpdateWriter {
  readonly manager: string;
  readonly now: string;
  readonly subresource?: string;
}

/**
 * Returns the owners after a write other than an apply: the writer owns what it added or changed, and all others, including the writer's
 * earlier entry, lose what was changed or removed (structured-merge-diff merge/update.go Update, with the layers of apimachinery
 * pkg/util/managedfields/internal: strip meta, entry times, cap).
 */
export function trackUpdate(types: VersionedTypes, change: Change, managers: Managers, by: UpdateWriter): Managers {
  const known = reconcileManagers(types, change, managers);
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

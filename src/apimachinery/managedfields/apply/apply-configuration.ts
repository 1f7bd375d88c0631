import { ApplyConflict } from './apply-conflict.js';
import { equalValues } from '../fieldpath/compare-values.js';
import { type Managers, type ManagerState, managerIdentity } from '../managers/managed-fields-entry.js';
import { merge } from '../typed/merge.js';
import { prune } from './prune.js';
import { stripMeta } from '../managers/strip-meta.js';
import { toFieldSet } from '../typed/to-field-set.js';
import { explaining } from '../typed/to-wire-object.js';
import { findLosses, reconcileManagers, takeLosses } from '../managers/update-managers.js';
import type { Plain, VersionedTypes } from '../typed/versioned-types.js';

/** The input of an apply: typed values in `apiVersion`; the configuration has been validated. */
export interface Application {
  readonly live: Plain;
  readonly configuration: Plain;
  readonly apiVersion: string;
  readonly manager: string;
  readonly force: boolean;
  readonly now: string;
  readonly subresource?: string;
}

/** The result of an apply. */
export interface Applied {
  /** Undefined if the object does not change. */
  readonly merged: Plain | undefined;
  readonly managers: Managers;
}

/**
 * Server-side apply of one configuration (structured-merge-diff merge/update.go Apply): merge, prune, find conflicts, take ownership. The
 * manager's time changes only if the object does, so a new co-owner of equal values has none. Throws ApplyConflict, and WireObjectError if
 * a value cannot be converted to another manager's version.
 */
export function applyConfiguration(types: VersionedTypes, application: Application, managers: Managers): Applied {
  const { live, configuration, apiVersion, now, subresource = '' } = application;
  const type = types.type(apiVersion);
  const applier = { manager: application.manager, operation: 'Apply', apiVersion, subresource } as const;
  const identity = managerIdentity(applier);
  const known = reconcileManagers(types, { before: live, apiVersion }, managers);
  const last = known.get(identity);
  // the last apply counts even if it owned fields only in a version that is unknown here
  const time = managers.get(identity)?.time;
  const set = toFieldSet(type, configuration).without(types.reset);
  known.set(identity, withTime({ ...applier, set }, time));

  const merged = explaining('failed to prune fields', () => prune(types, merge(type, live, configuration), apiVersion, known, last));
  const losses = explaining('failed to convert new object', () =>
    findLosses(types, { before: live, after: merged, apiVersion }, known, identity),
  );
  if (!application.force && losses.conflicts.size > 0) {
    throw new ApplyConflict([...losses.conflicts].map(([owner, paths]) => ({ owner: known.get(owner) as ManagerState, paths })));
  }

  const result = takeLosses(known, losses);
  const changed = !equalValues(live, merged) || hasNullManagedFields(configuration);
  const owned = stripMeta(set);
  if (owned.isEmpty) result.delete(identity);
  else result.set(identity, withTime({ ...applier, set: owned }, changed ? now : time));
  return { merged: changed ? merged : undefined, managers: result };
}

/** Upstream counts any merged null as a change. No typed value here has this field, so the configuration is checked for it. */
function hasNullManagedFields({ metadata }: Plain): boolean {
  return (metadata as Plain | null | undefined)?.['managedFields'] === null;
}

function withTime(state: Omit<ManagerState, 'time'>, time: string | undefined): ManagerState {
  return time === undefined ? state : { ...state, time };
}

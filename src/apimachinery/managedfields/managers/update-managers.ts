import { compare } from '../typed/compare.js';
import type { Comparison } from '../typed/comparison.js';
import type { FieldSet } from '../fieldpath/field-set.js';
import type { Managers } from './managed-fields-entry.js';
import { reconcileWithSchema } from '../typed/reconcile-with-schema.js';
import type { Plain, VersionedTypes } from '../typed/versioned-types.js';

/** A write from one typed value to another, both in `apiVersion`. */
export interface Change {
  readonly before: Plain;
  readonly after: Plain;
  readonly apiVersion: string;
}

/** What other managers lose by a change, by their identity: conflicting paths and removed paths. */
export interface Losses {
  readonly comparison: Comparison;
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  readonly removed: ReadonlyMap<string, FieldSet>;
}

/**
 * Drops managers of unknown versions and adapts the sets of the others to the schema (structured-merge-diff merge/update.go
 * reconcileManagedFieldsWithSchemaChanges). Throws UntypedObjectError if the live object cannot be converted to the version of a manager.
 */
export function reconcileManagers(types: VersionedTypes, { before, apiVersion }: Omit<Change, 'after'>, managers: Managers): Managers {
  const known: Managers = new Map();
  for (const [identity, state] of managers) {
    if (!types.knows(state.apiVersion)) continue;
    types.convert(before, apiVersion, state.apiVersion);
    const set = reconcileWithSchema(state.set, types.type(state.apiVersion));
    known.set(identity, set === state.set ? state : { ...state, set });
  }
  return known;
}

/** Compares in every version that a manager uses, and finds what all managers except `self` would lose. */
export function findLosses(types: VersionedTypes, change: Change, managers: Managers, self?: string): Losses {
  const comparison = compare(types.type(change.apiVersion), change.before, change.after).without(types.reset);
  const byVersion = new Map([[change.apiVersion, comparison]]);
  const conflicts = new Map<string, FieldSet>();
  const removed = new Map<string, FieldSet>();
  for (const [identity, state] of managers) {
    if (identity === self) continue;
    let compared = byVersion.get(state.apiVersion);
    if (compared === undefined) byVersion.set(state.apiVersion, (compared = compareIn(types, change, state.apiVersion)));
    const conflict = state.set.intersection(compared.changedSet);
    if (!conflict.isEmpty) conflicts.set(identity, conflict);
    if (compared.removed.length > 0) removed.set(identity, compared.removedSet);
  }
  return { comparison, conflicts, removed };
}

function compareIn(types: VersionedTypes, change: Change, apiVersion: string): Comparison {
  const before = types.convert(change.before, change.apiVersion, apiVersion);
  const after = types.convert(change.after, change.apiVersion, apiVersion);
  return compare(types.type(apiVersion), before, after).without(types.reset);
}

/** Removes lost paths from managers, and managers that own nothing afterwards. */
export function takeLosses(managers: Managers, losses: Losses): Managers {
  const left: Managers = new Map();
  for (const [identity, state] of managers) {
    let set = state.set;
    for (const lost of [losses.conflicts.get(identity), losses.removed.get(identity)]) {
      if (lost !== undefined) set = set.difference(lost);
    }
    if (!set.isEmpty) left.set(identity, set === state.set ? state : { ...state, set });
  }
  return left;
}

import { FieldSet } from '../fieldpath/field-set.js';
import type { Managers, ManagerState } from '../managers/managed-fields-entry.js';
import { type MergeType, type StructMergeType, typeOfElement } from '../typed/merge-type.js';
import { removeItems } from '../typed/remove-items.js';
import { toFieldSet } from '../typed/to-field-set.js';
import { explaining } from '../typed/to-wire-object.js';
import type { Plain, VersionedTypes } from '../typed/versioned-types.js';

/** A typed value and its version. */
interface Versioned {
  readonly value: Plain;
  readonly apiVersion: string;
}

/**
 * Removes from a merged value (in `apiVersion`) what the manager applied last time, does not apply now, and nobody else owns. `managers`
 * already contains the manager's new set (structured-merge-diff merge/update.go prune).
 */
export function prune(types: VersionedTypes, merged: Plain, apiVersion: string, managers: Managers, last: ManagerState | undefined): Plain {
  if (last === undefined || last.set.isEmpty) return merged;
  const converted = explaining('failed to convert merged object to last applied version', () =>
    types.convert(merged, apiVersion, last.apiVersion),
  );
  const before = { value: converted, apiVersion: last.apiVersion };
  const type = types.type(last.apiVersion);
  const removed = { ...before, value: removeItems(type, before.value, withNamedFields(last.set, type)) };
  const owned = addBackOwned(types, before, removed, managers);
  const pruned = addBackUnapplied(types, before, owned, last);
  return types.convert(pruned.value, pruned.apiVersion, apiVersion);
}

/**
 * Adds back what any manager's current set contains, in that manager's version; the pruned version first, since the others may depend on
 * it.
 */
function addBackOwned(types: VersionedTypes, merged: Versioned, pruned: Versioned, managers: Managers): Versioned {
  const owned = new Map([[pruned.apiVersion, new FieldSet()]]);
  for (const { apiVersion, set } of managers.values()) owned.set(apiVersion, (owned.get(apiVersion) ?? new FieldSet()).union(set));
  let whole = merged;
  let result = pruned;
  for (const [apiVersion, set] of owned) {
    whole = explaining(`failed add back owned items: failed to convert merged object at version ${apiVersion}`, () =>
      inVersion(types, whole, apiVersion),
    );
    result = inVersion(types, result, apiVersion);
    const type = types.type(apiVersion);
    const kept = namedFieldsOf(type, result.value).union(withNamedFields(set, type));
    const gone = namedFieldsOf(type, whole.value).difference(kept);
    result = { apiVersion, value: removeItems(type, whole.value, gone) };
  }
  return result;
}

/** Adds back items that the manager never applied: unowned ones, and those removed with their container. */
function addBackUnapplied(types: VersionedTypes, merged: Versioned, pruned: Versioned, last: ManagerState): Versioned {
  const type = types.type(last.apiVersion);
  const result = inVersion(types, pruned, last.apiVersion);
  const gone = namedFieldsOf(type, merged.value).difference(namedFieldsOf(type, result.value));
  return { ...merged, value: removeItems(type, merged.value, gone.intersection(withNamedFields(last.set, type))) };
}

function namedFieldsOf(type: StructMergeType, value: Plain): FieldSet {
  return withNamedFields(toFieldSet(type, value), type);
}

/**
 * Adds every struct field on the paths of a set: with `.spec.a` also `.spec`, which sets do not contain by themselves
 * (structured-merge-diff fieldpath/set.go EnsureNamedFieldsAreMembers).
 */
function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  const out = new FieldSet();
  for (const element of set.members) out.members.add(element);
  for (const [element, child] of set.children) {
    if (type?.kind === 'struct' && type.byElement.has(element)) out.members.add(element);
    out.children.set(element, withNamedFields(child, type === undefined ? undefined : typeOfElement(type, element)));
  }
  return out;
}

function inVersion(types: VersionedTypes, { value, apiVersion }: Versioned, target: string): Versioned {
  return { value: types.convert(value, apiVersion, target), apiVersion: target };
}

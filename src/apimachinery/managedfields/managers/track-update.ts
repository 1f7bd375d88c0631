import { compareText } from '../../go/go-string.js';
import type { ManagedFieldsEntry } from '../../meta/object-meta.schema.js';
import { FieldSet } from '../fieldpath/field-set.js';
import { type FieldPath, fieldElement } from '../fieldpath/path-element.js';
import { type Comparison, compare } from '../typed/compare.js';
import { reconcileWithSchema } from '../typed/to-field-set.js';
import type { Plain, VersionedTypes } from '../typed/versioned-types.js';
import { type ManagerState, type Managers, compareEntries, managerIdentity } from './managed-fields-entry.js';

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

/** A write from one typed value to another, both in `apiVersion`. */
interface Change {
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

/** Maximum number of update entries of an object; apply entries do not count. */
const MAX_UPDATE_MANAGERS = 10;

/**
 * Merges the oldest update entries into `ancient-changes`, one such entry per version, until their number is within the limit (apimachinery
 * pkg/util/managedfields/internal/capmanagers.go). The first old entry of a version is merged only when a second one of that version has to
 * be, so that entries of rare versions stay. Changes `managers`.
 */
function capManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, state]) => state.operation === 'Update');
  let excess = updaters.length - MAX_UPDATE_MANAGERS;
  if (excess <= 0) return;
  updaters.sort(byAge);
  const firstOfVersion = new Map<string, string>();
  for (const [identity, state] of updaters) {
    if (excess <= 0) return;
    const first = firstOfVersion.get(state.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(state.apiVersion, identity);
    } else {
      moveToBucket(managers, first, identity, state);
      excess--;
    }
  }
}

function moveToBucket(managers: Managers, first: string, identity: string, state: ManagerState): void {
  const name = { manager: 'ancient-changes', operation: 'Update', apiVersion: state.apiVersion, subresource: '' } as const;
  const bucket = managerIdentity(name);
  const source = managers.has(bucket) ? bucket : first;
  const merged = managers.get(source)?.set.union(state.set) ?? state.set;
  managers.delete(source);
  managers.delete(identity);
  // The later of the two times: entries are sorted by time.
  managers.set(bucket, { ...name, ...(state.time === undefined ? {} : { time: state.time }), set: merged });
}

function byAge(a: readonly [string, ManagerState], b: readonly [string, ManagerState]): number {
  return compareText(a[1].time ?? '', b[1].time ?? '') || compareText(a[0], b[0]);
}

const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
].map(fieldElement);

/** Paths that are never owned (apimachinery pkg/util/managedfields/internal/stripmeta.go). */
const STRIPPED = FieldSet.of([
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...METADATA.map((element) => [fieldElement('metadata'), element]),
]);

/** The set without the paths that are never owned. */
export function stripMeta(set: FieldSet): FieldSet {
  return set.difference(STRIPPED);
}

/** Whether a path is never owned. */
function isStripped(path: readonly string[]): boolean {
  return STRIPPED.has(path);
}

import { ApiError } from '../../errors/api-error.js';
import { badRequest } from '../../errors/status-errors.js';
import { compareText, quote } from '../../go/go-string.js';
import { renderGroupVersionKind } from '../../schema/group-resource.js';
import { FieldSet } from '../fieldpath/field-set.js';
import { equalValues, renderPath } from '../fieldpath/path-element.js';
import { type ManagerState, type Managers, managerIdentity } from '../managers/managed-fields-entry.js';
import { findLosses, reconcileManagers, stripMeta, takeLosses } from '../managers/track-update.js';
import { type MergeType, type StructMergeType, typeOfElement } from '../typed/merge-type.js';
import { merge } from '../typed/merge.js';
import { removeItems, toFieldSet } from '../typed/to-field-set.js';
import { type Plain, type VersionedTypes, explaining } from '../typed/versioned-types.js';

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

type ReadonlyPlain = Readonly<Record<string, unknown>>;

/** The kind and version of an endpoint. */
export interface ObjectIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Rejects a configuration whose kind or version differs from the endpoint's or is missing. */
export function checkAppliedIdentity(applied: ReadonlyPlain, expected: ObjectIdentity): void {
  if (applied['kind'] === expected.kind && applied['apiVersion'] === expected.apiVersion) return;
  const kind = typeof applied['kind'] === 'string' ? applied['kind'] : '';
  throw badRequest(`invalid object type: ${renderGroupVersionKind({ kind, apiVersion: applied['apiVersion'] })}`);
}

/** Rejects a configuration with managedFields; null is equivalent to none. */
export function checkNoManagedFields(applied: ReadonlyPlain): void {
  const metadata = applied['metadata'] as ReadonlyPlain | string | null | undefined;
  const managedFields = typeof metadata === 'object' ? metadata?.['managedFields'] : undefined;
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
}

/** Formats an object for error texts: `ns/name; coordination.k8s.io/v1, Kind=Lease`. */
export function renderObject(object: ReadonlyPlain, identity: ObjectIdentity): string {
  const metadata = object['metadata'];
  const { namespace, name } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as ReadonlyPlain;
  return `${textOf(namespace)}/${textOf(name)}; ${renderGroupVersionKind(identity)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A typed value and its version. */
interface Versioned {
  readonly value: Plain;
  readonly apiVersion: string;
}

/**
 * Removes from a merged value (in `apiVersion`) what the manager applied last time, does not apply now, and nobody else owns. `managers`
 * already contains the manager's new set (structured-merge-diff merge/update.go prune).
 */
function prune(types: VersionedTypes, merged: Plain, apiVersion: string, managers: Managers, last: ManagerState | undefined): Plain {
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

/** The paths of another manager that an apply would change. */
export interface ManagerConflict {
  readonly owner: ManagerState;
  readonly paths: FieldSet;
}

/** The conflicts of an apply without force. The caller decides whether they become a 409. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly conflicts: readonly ManagerConflict[];

  constructor(conflicts: readonly ManagerConflict[]) {
    super('apply conflict');
    this.conflicts = [...conflicts].sort((a, b) => compareText(managerIdentity(a.owner), managerIdentity(b.owner)));
  }

  /** The conflicts whose paths are not in `allowed`; undefined if none are left. */
  without(allowed: FieldSet): ApplyConflict | undefined {
    const left = this.conflicts
      .map(({ owner, paths }) => ({ owner, paths: paths.difference(allowed) }))
      .filter(({ paths }) => !paths.isEmpty);
    return left.length === 0 ? undefined : new ApplyConflict(left);
  }

  /** The 409 of apimachinery pkg/util/managedfields/internal/conflict.go, with a cause for each path. */
  toApiError(): ApiError {
    const found = this.conflicts.map(({ owner, paths }) => ({ owner: renderOwner(owner), fields: [...paths.paths()].map(renderPath) }));
    const causes = found.flatMap(({ owner, fields }) =>
      fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
    );
    const lines = found.flatMap(({ owner, fields }) => [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)]);
    const [only] = causes;
    const message =
      only !== undefined && causes.length === 1
        ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
        : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
    return new ApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
  }
}

function renderOwner({ manager, subresource, operation, apiVersion }: ManagerState): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

import { ApiError } from '../errors/api-error.js';
import { badRequest, unclassifiedError } from '../errors/status-errors.js';
import type { KubeObject, ManagedFieldsEntry } from '../meta/object-meta.schema.js';
import type { StructType } from '../schema/struct-type.js';
import {
  type Application,
  type Applied,
  type ObjectIdentity,
  ApplyConflict,
  applyConfiguration,
  checkAppliedIdentity,
  checkNoManagedFields,
  renderObject,
} from './apply/apply-configuration.js';
import { FieldsV1Error, equalValues, fieldElement } from './fieldpath/path-element.js';
import { KUBECTL, lastAppliedFields, withLastApplied } from './apply/last-applied.js';
import { ListItemError } from './typed/merge-type.js';
import { type Managers, decodeManagers, encodeManagers, isReset, ManagedFieldsError } from './managers/managed-fields-entry.js';
import { modifiedScalars } from './typed/compare.js';
import { type ConvertObject, type Plain, VersionedTypes, WireObjectError, explaining } from './typed/versioned-types.js';
import { keepOwnership, trackUpdate } from './managers/track-update.js';
import { checkTyped, configurationErrorText, UntypedObjectError, validateConfiguration } from './typed/validate-configuration.js';

/** An apply; `force` takes over fields that others own. */
export interface ApplyWrite extends FieldWrite {
  readonly force: boolean;
}

/** The resource's types, and how to convert between them. */
export interface FieldManagerOptions {
  readonly kind: string;
  /** The wire types by apiVersion (`coordination.k8s.io/v1`); entries of other versions are dropped. */
  readonly versions: Readonly<Record<string, StructType>>;
  /** Required if there are several versions. */
  readonly convert?: ConvertObject;
  /** Fields that writes cannot change, such as `status`; a write does not gain ownership of them. */
  readonly resetFields?: readonly string[];
  /** The subresource of writes that do not specify one. */
  readonly subresource?: string;
}

/** The manager and time of a write. `now` is a wire time in whole seconds; `apiVersion` is the version of both objects. */
export interface FieldWrite {
  readonly manager: string;
  readonly apiVersion: string;
  readonly now: string;
  /** The subresource of the write. */
  readonly subresource?: string;
}

/**
 * Maintains metadata.managedFields of one resource, and applies configurations: what sigs.k8s.io/structured-merge-diff and apimachinery
 * pkg/util/managedfields do upstream. Pure; one instance serves all requests.
 *
 * Data flow: A schema is compiled once to a *merge type* (merge-type.ts), which defines what merges, what is a leaf, and how list items are
 * identified. Objects are read through *structured views* (versioned-types.ts), which distinguish Go's zero values from absent ones.
 * Ownership is a *field set* per manager (field-set.ts), a tree of path elements in the text form of FieldsV1.
 *
 *     update:  managedFields ──decode──▶ managers ─┐
 *              live, next ──compare──▶ changes ────┴▶ trackUpdate: others lose, the writer gains, strip, cap ──encode──▶ managedFields
 *
 *     apply:   body ──validate──▶ configuration ──toFieldSet──▶ the manager's new set ─┐
 *              live + configuration ──merge──▶ merged ──prune what only its old set held──▶ merged
 *              live, merged ──compare──▶ changes ∩ others' sets ──▶ 409, or with force they lose ──▶ managers, merged ──▶ object
 *
 * Most writes are renewals, which change scalars that only the writer owns. `update` detects that in the encoded entries
 * (compare.ts, track-update.ts) and only changes a time, without decoding anything. All other writes take the full path.
 * Managers have versions: sets are compared in the version in which they were created.
 */
export class FieldManager {
  readonly kind: string;
  readonly #types: VersionedTypes;
  readonly #subresource: { readonly subresource?: string };

  constructor(options: FieldManagerOptions) {
    this.kind = options.kind;
    this.#subresource = options.subresource === undefined ? {} : { subresource: options.subresource };
    this.#types = new VersionedTypes(options.kind, options.versions, options.convert, options.resetFields?.map(fieldElement));
  }

  /**
   * Returns `next` with its managedFields after a create, PUT or patch. `live` is the stored object, undefined on create. The content is
   * never changed, and invalid managedFields from a client never fail the write; an error here leaves the list as it was.
   */
  update(live: KubeObject | undefined, next: KubeObject, write: FieldWrite): KubeObject {
    try {
      const writer = { ...this.#subresource, ...write, manager: write.manager || 'unknown' };
      return withManagedFields(next, this.#ownersAfterUpdate(live, next, writer));
    } catch (error) {
      if (error instanceof ListItemError || error instanceof UntypedObjectError || error instanceof ApiError) {
        return withManagedFields(next, live?.metadata.managedFields);
      }
      throw error;
    }
  }

  /**
   * Returns the object after a server-side apply of `applied`, the parsed body. `live` is undefined if the apply creates the object. Throws
   * an ApiError: 400 for a body that does not match the type, 409 for conflicts.
   */
  apply(live: KubeObject | undefined, applied: Plain, write: ApplyWrite): KubeObject {
    const identity = { kind: this.kind, apiVersion: write.apiVersion };
    checkAppliedIdentity(applied, identity);
    checkNoManagedFields(applied);
    const errors = validateConfiguration(this.#types.type(write.apiVersion), applied);
    if (errors.length > 0) {
      throw badRequest(`failed to create typed patch object (${renderObject(applied, identity)}): ${configurationErrorText(errors)}`);
    }
    return this.#refusing(() => this.#applyValid(live, applied, write));
  }

  #applyValid(live: KubeObject | undefined, applied: Plain, write: ApplyWrite): KubeObject {
    const base = this.#types.trackedView(live, write.apiVersion);
    if (live !== undefined) this.#checkLive(live, base, write.apiVersion);
    const application = { ...this.#subresource, ...write, live: base, configuration: applied };
    const { merged, managers } = this.#applyAllowed(application, this.#managersBeforeApply(live, base, write));
    const identity = { kind: this.kind, apiVersion: write.apiVersion };
    const object = merged === undefined && live !== undefined ? live : this.#objectOf(merged ?? base, applied, identity);
    const result = withManagedFields(object, encodeManagers(managers));
    return write.manager === KUBECTL ? withLastApplied(result, applied) : result;
  }

  /** Live lists may have items without an identity, which other writes accept. Throws the 500. */
  #checkLive(live: KubeObject, base: Plain, apiVersion: string): void {
    try {
      checkTyped(this.#types.type(apiVersion), base, true);
    } catch (error) {
      if (!(error instanceof UntypedObjectError)) throw error;
      const what = renderObject(plain(live), { kind: this.kind, apiVersion });
      const context =
        decodeOrNone(live.metadata.managedFields).size > 0
          ? `failed to create typed live object (${what})`
          : `failed to create manager for existing fields: failed to convert new object (${what}) to smd typed`;
      throw unclassifiedError(`${context}: ${error.message}`, error);
    }
  }

  /** If no manager is recorded yet, `before-first-apply` owns all existing fields. */
  #managersBeforeApply(live: KubeObject | undefined, base: Plain, write: ApplyWrite): Managers {
    const managers = decodeOrNone(live?.metadata.managedFields);
    if (managers.size > 0 || live === undefined) return managers;
    const appearance = { before: this.#types.view(undefined, write.apiVersion), after: base, apiVersion: write.apiVersion };
    return trackUpdate(this.#types, appearance, managers, { ...this.#subresource, manager: 'before-first-apply', now: write.now });
  }

  #refusing<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof ApplyConflict) throw error.toApiError();
      if (error instanceof WireObjectError) throw badRequest(error.message);
      if (error instanceof UntypedObjectError) throw unclassifiedError(error.message, error);
      throw error;
    }
  }

  /** kubectl may take over, without force, fields that client-side apply set. */
  #applyAllowed(application: Application, managers: Managers): Applied {
    try {
      return applyConfiguration(this.#types, application, managers);
    } catch (error) {
      if (!(error instanceof ApplyConflict) || application.manager !== KUBECTL) throw error;
      const left = this.#withoutLastApplied(error, application);
      if (left !== undefined) throw left;
      return applyConfiguration(this.#types, { ...application, force: true }, managers);
    }
  }

  #withoutLastApplied(conflict: ApplyConflict, { live, apiVersion }: Application): ApplyConflict | undefined {
    const allowed = lastAppliedFields(this.#types.type(apiVersion), live, { kind: this.kind, apiVersion });
    return allowed === undefined ? conflict : conflict.without(allowed);
  }

  #objectOf(merged: Plain, applied: Plain, identity: ObjectIdentity): KubeObject {
    return explaining(`failed to convert new object (${renderObject(applied, identity)}) to proper version`, () =>
      this.#types.object({ ...merged, ...identity }, identity.apiVersion),
    );
  }

  #ownersAfterUpdate(live: KubeObject | undefined, next: KubeObject, write: FieldWrite): readonly ManagedFieldsEntry[] | undefined {
    const sent = sentEntries(next, write);
    const stored = live?.metadata.managedFields;
    const simple = write.subresource === undefined && this.#types.reset.length === 0;
    if (simple && live !== undefined && stored !== undefined && stored.length > 0 && (!sent || equalValues(sent, stored))) {
      const modified = modifiedScalars(this.#types.type(write.apiVersion), plain(live), plain(next));
      const kept = modified && keepOwnership(stored, modified, write);
      if (kept !== undefined) return kept;
    }
    const managers = startingManagers(sent, stored);
    // After a reset, tracking is off until the next apply.
    if (managers.size === 0 && live?.metadata.uid) return undefined;
    const { apiVersion } = write;
    const change = { before: this.#types.view(live, apiVersion), after: this.#types.view(next, apiVersion), apiVersion };
    return encodeManagers(trackUpdate(this.#types, change, managers, write));
  }
}

/** A write to a subresource cannot set managedFields (apimachinery managedfields/internal/fieldmanager.go decodeLiveOrNew). */
function sentEntries({ metadata }: KubeObject, { subresource }: FieldWrite): readonly ManagedFieldsEntry[] | undefined {
  return subresource === undefined ? metadata.managedFields : undefined;
}

/** The owners before a write: those sent by the client, or else those of the live object. */
function startingManagers(sent: readonly ManagedFieldsEntry[] | undefined, stored: readonly ManagedFieldsEntry[] | undefined): Managers {
  if (isReset(sent)) return new Map();
  const given = decodeOrNone(sent);
  return given.size > 0 ? given : decodeOrNone(stored);
}

function decodeOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError || error instanceof FieldsV1Error) return new Map();
    throw error;
  }
}

/** A copy with a new metadata object. */
function withManagedFields(object: KubeObject, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  if (entries !== undefined) return { ...object, metadata: { ...object.metadata, managedFields: entries } };
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function plain(object: KubeObject): Plain {
  return object;
}

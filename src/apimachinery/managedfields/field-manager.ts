import { ApiError } from '../errors/api-error.js';
import type { KubeObject } from '../meta/kube-object.js';
import type { ManagedFieldsEntry } from '../meta/object-meta.js';
import type { StructType } from '../schema/struct-type.js';
import { compare } from './compare.js';
import { equalValues } from './compare-values.js';
import { ListItemError } from './list-item-element.js';
import type { Managers } from './managed-fields-entry.js';
import { decodeManagers, encodeManagers, isReset, ManagedFieldsError } from './managed-fields-entry.js';
import { FieldsV1Error } from './path-element.js';
import { trackUpdate } from './track-update.js';
import { keepOwnership } from './unchanged-ownership.js';
import type { ConvertObject } from './versioned-types.js';
import { VersionedTypes } from './versioned-types.js';

export interface FieldManagerOptions {
  readonly kind: string;
  /** The wire types by apiVersion (`coordination.k8s.io/v1`); entries of other versions are dropped. */
  readonly versions: Readonly<Record<string, StructType>>;
  /** Needed where there are several versions. */
  readonly convert?: ConvertObject;
}

/** Who writes, and when. `now` is wire text with the precision of seconds; `apiVersion` that of both objects. */
export interface FieldWrite {
  readonly manager: string;
  readonly apiVersion: string;
  readonly now: string;
}

/** Keeps metadata.managedFields of one resource. */
export class FieldManager {
  readonly kind: string;
  readonly #types: VersionedTypes;

  constructor(options: FieldManagerOptions) {
    this.kind = options.kind;
    this.#types = new VersionedTypes(options.versions, options.convert);
  }

  /**
   * `next` with its managedFields after a create, PUT or patch. `live` is the stored object, undefined on create. The content is
   * never changed and a client's nonsense in managedFields never fails the write; an error here clears the list.
   */
  update(live: KubeObject | undefined, next: KubeObject, write: FieldWrite): KubeObject {
    try {
      return withManagedFields(next, this.#ownersAfterUpdate(live, next, write));
    } catch (error) {
      if (error instanceof ListItemError || error instanceof ApiError) return withManagedFields(next, undefined);
      throw error;
    }
  }

  #ownersAfterUpdate(live: KubeObject | undefined, next: KubeObject, write: FieldWrite): ManagedFieldsEntry[] | undefined {
    const sent = next.metadata.managedFields;
    const stored = live?.metadata.managedFields;
    const before = this.#types.view(live, write.apiVersion);
    const after = this.#types.view(next, write.apiVersion);
    if (stored !== undefined && stored.length > 0 && (!sent || equalValues(sent, stored))) {
      const kept = keepOwnership(stored, compare(this.#types.type(write.apiVersion), before, after), write);
      if (kept !== undefined) return kept;
    }
    const managers = startingManagers(sent, stored);
    // Tracking is off from a reset until the next apply.
    if (managers.size === 0 && live?.metadata.uid) return undefined;
    return encodeManagers(trackUpdate(this.#types, { before, after, apiVersion: write.apiVersion }, managers, write.manager, write.now));
  }
}

/** The owners that a write starts from: those that the client sent, else those of the live object. */
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

function withManagedFields(object: KubeObject, entries: ManagedFieldsEntry[] | undefined): KubeObject {
  if (object.metadata.managedFields === entries) return object;
  const { managedFields: _replaced, ...metadata } = object.metadata;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}

import { type GroupKind, badRequest } from '../../apimachinery/errors/status-errors.js';
import { quote } from '../../apimachinery/go/go-string.js';
import type { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import { managerName } from '../../apimachinery/managedfields/managers/managed-fields-entry.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import { type GroupResource, groupVersion } from '../../apimachinery/schema/group-resource.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import type { ObjectKey, ObjectStore } from '../../storage/object-store.js';
import type { AdmissionPlugin } from '../admission/admission.js';
import type { StorageOperation } from '../errors/interpret-storage-error.js';
import { type NameGenerator, timestamp } from '../objects/object-values.js';
import type { StoredCodec } from '../objects/stored-codec.js';
import type { RequestContext, UserInfo } from '../resource/request-context.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { RequestTarget, WritePolicy } from '../resource/resource-store.js';

/** What the verbs of one resource share; built once at start, never changed. */
export interface ResourceScope<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly resource: GroupResource;
  /** The group and kind in 422s. */
  readonly kind: GroupKind;
  /** The resource name in storage keys. */
  readonly storageResource: string;
  readonly objects: ObjectStore;
  readonly codec: StoredCodec<T>;
  readonly admission: AdmissionPlugin;
  /** Absent: whoever may use the verb may write any valid object. */
  readonly writePolicy?: WritePolicy<T>;
  readonly fieldManager: FieldManager;
  readonly generateName: NameGenerator;
  /** The uid of what this user creates. */
  readonly newUid: (user: UserInfo) => string;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

/** The namespace of a request's objects; '' for cluster-scoped resources, whatever the URL has. */
export function namespaceOf(scope: Pick<ResourceScope, 'definition'>, target: RequestTarget): string {
  return scope.definition.namespaced ? target.namespace : '';
}

/** Builds a storage key. Throws the 400 for a name that no object can have (apiserver registry/generic/registry/store.go). */
export function objectKey(scope: ResourceScope, namespace: string, name: string): ObjectKey {
  if (scope.definition.namespaced && namespace === '') throw badRequest('Namespace parameter required.');
  const broken = isPathSegmentName(name, false);
  if (broken.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${broken.join(';')}`);
  return { resource: scope.storageResource, namespace, name };
}

/** Describes an operation for interpretStorageError. */
export function operation(scope: ResourceScope, verb: StorageOperation['verb'], { name, namespace }: ObjectKey): StorageOperation {
  return { verb, resource: scope.resource, name, namespace, uncached: scope.definition.uncached ?? false };
}

/** The writer of an update, for managedFields. */
export interface FieldWriter {
  readonly context: RequestContext;
  readonly version: ResourceVersionDefinition;
  readonly options: WriteOptions;
  /** The subresource, if the FieldManager's definition does not name it. */
  readonly subresource?: string;
}

/**
 * Returns `next` with its managedFields after a create or update. Both objects are in the version's shape. The result's metadata is a new
 * object.
 */
export function trackFields(
  scope: Pick<ResourceScope, 'definition' | 'fieldManager' | 'now'>,
  writer: FieldWriter,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  return scope.fieldManager.update(live, next, {
    manager: managerName(writer.options.fieldManager, writer.context.userAgent),
    apiVersion: groupVersion(scope.definition.group, writer.version.name),
    now: timestamp(scope.now()),
    ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
  });
}

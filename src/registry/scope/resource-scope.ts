import { quote } from '../../apimachinery/go/go-string.js';
import { type GroupKind, badRequest } from '../../apimachinery/errors/status-errors.js';
import type { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { GroupResource } from '../../apimachinery/schema/group-resource.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import type { ObjectKey, ObjectStore } from '../../storage/object-store.js';
import type { AdmissionPlugin } from '../admission/admission.js';
import type { StorageOperation } from '../errors/interpret-storage-error.js';
import type { NameGenerator } from '../objects/name-generator.js';
import type { ResourceDefinition } from '../resource/resource-definition.js';
import type { RequestTarget } from '../resource/resource-store.js';
import type { StoredCodec } from '../objects/stored-codec.js';
import type { UserInfo } from '../resource/request-context.js';
import type { WritePolicy } from '../resource/write-policy.js';

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

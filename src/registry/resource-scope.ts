import { quote } from '../apimachinery/errors/field-error.js';
import type { GroupKind } from '../apimachinery/errors/status-errors.js';
import { badRequest } from '../apimachinery/errors/status-errors.js';
import type { FieldManager } from '../apimachinery/managedfields/field-manager.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { GroupResource } from '../apimachinery/schema/group-resource.js';
import { isPathSegmentName } from '../apimachinery/validation/path-segment-name.js';
import type { ObjectKey, ObjectStore } from '../storage/object-store.js';
import type { AdmissionPlugin } from './admission/admission.js';
import type { StorageOperation } from './interpret-storage-error.js';
import type { NameGenerator } from './name-generator.js';
import type { ResourceDefinition } from './resource-definition.js';
import type { RequestTarget } from './resource-store.js';
import type { StoredCodec } from './stored-codec.js';
import type { WriteGuard } from './write-guard.js';

/** What all verbs of one resource share, put together once at start. */
export interface ResourceScope<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly resource: GroupResource;
  /** How 422s name the object. */
  readonly kind: GroupKind;
  /** The resource as storage keys name it. */
  readonly storageResource: string;
  readonly objects: ObjectStore;
  readonly codec: StoredCodec<T>;
  readonly admission: AdmissionPlugin;
  /** Absent: who may use the verb may write anything valid. */
  readonly guard?: WriteGuard<T>;
  readonly fieldManager: FieldManager;
  readonly generateName: NameGenerator;
  readonly newUid: () => string;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

/** The namespace that a request's objects are in; '' for cluster-scoped resources, whatever the URL says. */
export function namespaceOf(scope: ResourceScope, target: RequestTarget): string {
  return scope.definition.namespaced ? target.namespace : '';
}

/** Where the object of a name is stored. Throws the 400 of a name that no object can have (apiserver registry/generic/registry/store.go). */
export function objectKey(scope: ResourceScope, namespace: string, name: string): ObjectKey {
  if (scope.definition.namespaced && namespace === '') throw badRequest('Namespace parameter required.');
  const broken = isPathSegmentName(name, false);
  if (broken.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${broken.join(';')}`);
  return { resource: scope.storageResource, namespace, name };
}

/** For the words of errors that storage answers. */
export function operation(scope: ResourceScope, verb: StorageOperation['verb'], { name, namespace }: ObjectKey): StorageOperation {
  return { verb, resource: scope.resource, name, namespace, uncached: scope.definition.uncached ?? false };
}

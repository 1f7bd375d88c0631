import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { groupVersion, qualifiedResource } from '../apimachinery/schema/group-resource.js';
import type { StructType } from '../apimachinery/schema/struct-type.js';
import type { Strategy } from './strategy.js';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Rules of one version, over its wire shape. */
export type VersionValidation = Pick<Strategy, 'validate' | 'validateUpdate'>;

/** One served version of a resource: a wire shape and its conversion from and to the hub type. */
export interface ResourceVersionDefinition<T extends KubeObject = KubeObject> {
  /** `v1`. */
  readonly name: string;
  /** Its group, where one kind of stored object is served in two groups (Events); default: the definition's. */
  readonly group?: string;
  /** The object's wire type, `kind` and `apiVersion` included as its first two fields. */
  readonly schema: StructType;
  /** Conversions; absent where this version's shape is the hub's. Both may return their argument's parts. */
  toHub?(object: KubeObject): T;
  fromHub?(hub: T): KubeObject;
  /**
   * Fills in what a client may leave out, as decoding does upstream: on the wire shape, before managedFields are reckoned. May
   * write to the object and its metadata; deeper values are replaced.
   */
  setDefaults?(object: KubeObject): void;
  /** An object as a client may create it, in the wire shape without kind and apiVersion: documentation shows it. Default: a name alone. */
  readonly example?: KubeObject & Readonly<Record<string, unknown>>;
  /** Replaces the strategy's rules for what is written in this version; absent where they are the hub's. */
  readonly validation?: VersionValidation;
  /** Text of the deprecation Warning that every authorized answer carries. */
  readonly deprecation?: string;
}

/** One column of the Table that kubectl prints (metav1.TableColumnDefinition). */
export interface TableColumn<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /** `now` in milliseconds, for ages. */
  cell(object: T, now: number): string | number | boolean;
}

/** Everything the generic layers need to serve a resource. A new resource is one of these, and never a handler. */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** Empty for core. */
  readonly group: string;
  /** The group of the hub type, which errors name with the kind; default: `group`. Events of events.k8s.io are core's within. */
  readonly hubGroup?: string;
  /** Plural: `leases`. */
  readonly resource: string;
  /** `lease`. */
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** Served versions, preferred first. */
  readonly versions: readonly ResourceVersionDefinition<T>[];
  /** Known versions that are not served: fields written in them keep their owners. */
  readonly otherVersions?: readonly ResourceVersionDefinition<T>[];
  /** Name of the version in which objects are stored; one of `versions`, or of a version that is not served. */
  readonly storageVersion: ResourceVersionDefinition<T>;
  readonly strategy: Strategy<T>;
  /** The subresource that this definition is of, for managedFields: `status`. */
  readonly subresource?: string;
  /** Upstream has no watch cache for it, so that pages and errors are those of etcd (Events). */
  readonly uncached?: boolean;
  /** DELETE answers with what was deleted, instead of a Status (upstream: ReturnDeletedObject). */
  readonly answersDeleted?: boolean;
  /** What kubectl prints; none: there are no Tables of it. */
  readonly columns: readonly TableColumn<T>[];
  /** Field selectors beyond metadata.name and metadata.namespace: label to value. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  readonly selectableFieldNames?: readonly string[];
}

/** The storage key space of a resource: `leases.coordination.k8s.io`, `namespaces`. */
export function storageResource({ group, resource, storageVersion }: ResourceDefinition): string {
  return qualifiedResource({ group: storageVersion.group ?? group, resource });
}

/** Group and version of objects in one of a definition's versions: `coordination.k8s.io/v1`. */
export function apiVersionOf({ group }: Pick<ResourceDefinition, 'group'>, version: ResourceVersionDefinition): string {
  return groupVersion(version.group ?? group, version.name);
}

import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { groupVersion, qualifiedResource } from '../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import type { Strategy } from './strategy.js';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Rules of one version, over its wire shape. */
export type VersionValidation = Pick<Strategy, 'validate' | 'validateUpdate'>;

/** One served version of a resource: a wire shape and its conversion from and to the hub type. */
export interface ResourceVersionDefinition<T extends KubeObject = KubeObject> {
  /** Such as `v1`. */
  readonly name: string;
  /** The group, if one stored kind is served in two groups (Events). Default: the definition's. */
  readonly group?: string;
  /** The wire type. Its first two fields are `kind` and `apiVersion`. */
  readonly schema: StructType;
  /** Conversions, absent if this version's shape is the hub's. Results may share parts with their arguments. */
  toHub?(object: KubeObject): T;
  fromHub?(hub: T): KubeObject;
  /**
   * Applies defaults to the wire shape, before managedFields are computed, as upstream's decoder does. May change the object and its
   * metadata in place; deeper values must be replaced.
   */
  setDefaults?(object: KubeObject): void;
  /** An example for the documentation: an object that a client may create, without kind and apiVersion. Default: a name alone. */
  readonly example?: KubeObject & Readonly<Record<string, unknown>>;
  /** Replaces the strategy's validation for writes in this version. Absent: the hub's rules apply. */
  readonly validation?: VersionValidation;
  /** Text of the deprecation Warning on every authorized response. */
  readonly deprecation?: string;
}

/** One column of the Table that kubectl prints (metav1.TableColumnDefinition). */
export interface TableColumn<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /** The cell's value; `now` in milliseconds, for ages. */
  cell(object: T, now: number): string | number | boolean;
}

/** Everything that the generic layers need to serve a resource. A new resource is a ResourceDefinition, never a handler. */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** Empty for core. */
  readonly group: string;
  /** The group of the hub type, which errors show with the kind. Default: `group`. Events of events.k8s.io have core's hub type. */
  readonly hubGroup?: string;
  /** Plural: `leases`. */
  readonly resource: string;
  /** Such as `lease`. */
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  /** Served versions, preferred first. */
  readonly versions: readonly ResourceVersionDefinition<T>[];
  /** Known versions that are not served. Fields that were written in them keep their owners. */
  readonly otherVersions?: readonly ResourceVersionDefinition<T>[];
  /** The version in which objects are stored; need not be served. */
  readonly storageVersion: ResourceVersionDefinition<T>;
  readonly strategy: Strategy<T>;
  /** The subresource that this definition describes, for managedFields: `status`. */
  readonly subresource?: string;
  /** Upstream keeps no watch cache for it, so pages and error texts are those of etcd (Events). */
  readonly uncached?: boolean;
  /** DELETE returns the deleted object instead of a Status (upstream: ReturnDeletedObject). */
  readonly returnsDeleted?: boolean;
  /** The columns that kubectl prints. Empty: the resource has no Table form. */
  readonly columns: readonly TableColumn<T>[];
  /** Values of the fields that selectors may use besides metadata.name and metadata.namespace. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  readonly selectableFieldNames?: readonly string[];
  /** The selectable fields that an object's name determines. A selector of these alone needs no object decoded. */
  keyFields?(name: string): Readonly<Record<string, string>>;
}

/** What a resource has in common with most others need not be said: its names follow from its kind, and it is stored, with all verbs. */
export function defineResource<T extends KubeObject>({
  kind,
  versions,
  ...own
}: Partial<ResourceDefinition<T>> &
  Pick<ResourceDefinition<T>, 'group' | 'kind' | 'namespaced' | 'strategy' | 'columns'> & {
    versions: readonly [ResourceVersionDefinition<T>, ...ResourceVersionDefinition<T>[]];
  }): ResourceDefinition<T> {
  const singular = kind.toLowerCase();
  const [storageVersion] = versions;
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
  return { kind, singular, resource: `${singular}s`, shortNames: [], categories: [], verbs, versions, storageVersion, ...own };
}

/** The storage key space of a resource: `leases.coordination.k8s.io`, `namespaces`. */
export function storageResource({ group, resource, storageVersion }: ResourceDefinition): string {
  return qualifiedResource({ group: storageVersion.group ?? group, resource });
}

/** Group and version of objects in one of a definition's versions: `coordination.k8s.io/v1`. */
export function apiVersionOf({ group }: Pick<ResourceDefinition, 'group'>, version: ResourceVersionDefinition): string {
  return groupVersion(version.group ?? group, version.name);
}

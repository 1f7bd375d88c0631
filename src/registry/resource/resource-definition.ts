import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { humanDuration } from '../../apimachinery/go/go-duration.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import { groupVersion, qualifiedResource } from '../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import type { Sequel } from '../../storage/object-store.js';

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

/**
 * The rules of a resource as pure functions over its hub type (upstream: RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy in
 * apiserver pkg/registry/rest). Hooks do no I/O and depend on their arguments alone. They may change `next`, which is a fresh object; `old`
 * is shared and read-only.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Whether PUT to a missing name creates the object. */
  readonly allowCreateOnUpdate: boolean;
  /** Whether PUT without a resourceVersion replaces any current state. */
  readonly allowUnconditionalUpdate: boolean;

  /** Top-level fields that the prepare hooks reset; writers gain no ownership of them (upstream: ResetFieldsStrategy). */
  readonly resetFields?: readonly string[];

  /** Runs after system metadata is filled in and before validation: drops or sets fields that clients do not control. */
  prepareForCreate?(next: T): void;
  prepareForUpdate?(next: T, old: T): void;

  /** Validates a new object, in upstream's order of errors, including its metadata. */
  validate(next: T): readonly FieldError[];
  /** Validates a changed object, after the common rules for metadata and for changes to it. */
  validateUpdate(next: T, old: T): readonly FieldError[];

  /**
   * What a write leads to beside its object, such as the terms of a lease that it ends and begins; undefined: nothing. `old` is undefined for a
   * creation, `next` for a deletion.
   */
  sequelOf?(old: T | undefined, next: T | undefined): Sequel | undefined;

  /** How long the commit of an update may be put off, so that others share it, in milliseconds; absent or 0: it is urgent. */
  mayWaitMs?(next: T, old: T): number;

  /** Objects that cannot be decoded cannot be deleted either (upstream: no CorruptObjectDeleterProvider). */
  readonly withoutUnsafeDeletion?: boolean;
  /** Deletions set no garbage collector finalizers (Events). */
  readonly withoutGarbageCollection?: boolean;
  /** Returns the object as its first deletion leaves it, for resources that are only ever marked (Namespace). `now` is wire text. */
  markedForDeletion?(live: T, options: DeleteOptions, now: string): T;
  /** Whether something besides metadata.finalizers keeps a marked object alive (Namespace: spec.finalizers). */
  holdsDeletion?(object: T): boolean;
  /** Returns the reason of a 403 if the object must not be deleted; undefined: allowed. */
  forbidsDeletion?(object: T): string | undefined;
}

/** For objects that no client writes: no verb calls any of these hooks. */
export const NO_LIFE: Omit<Strategy, 'markedForDeletion'> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: () => [],
  validateUpdate: () => [],
};

export interface ReviewOptions extends Pick<ResourceDefinition, 'group' | 'kind' | 'namespaced'> {
  /** Wire type of v1, its only version. */
  readonly schema: StructType;
  /** An example for the documentation; see ResourceVersionDefinition. */
  readonly example: NonNullable<ResourceVersionDefinition['example']>;
}

/** Definition of a review: a resource whose objects are POSTed, answered and not stored. */
export function reviewDefinition<T extends KubeObject>({ schema, example, ...names }: ReviewOptions): ResourceDefinition<T> {
  return defineResource<T>({ ...names, verbs: ['create'], versions: [{ name: 'v1', schema, example }], strategy: NO_LIFE, columns: [] });
}

/** The description of metadata.name in upstream's OpenAPI; `kubectl explain` and tables show it. */
const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request ' +
  'the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration ' +
  'definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in ' +
  'happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\n' +
  'Populated by the system. Read-only. Null for lists. More info: ' +
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** The first column of every resource. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME,
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? '',
};

/** A column of text; those of priority 1 are shown in wide tables only. */
export function textColumn<T extends KubeObject>(
  name: string,
  description: string,
  cell: TableColumn<T>['cell'],
  priority = 0,
): TableColumn<T> {
  return { name, type: 'string', format: '', description, priority, cell };
}

/** The Age column: time since creation. */
export const ageColumn = textColumn('Age', CREATED, ({ metadata }, now) =>
  metadata.creationTimestamp === undefined ? '<unknown>' : humanDuration(now - Date.parse(metadata.creationTimestamp)),
);

/** The second column of resources that define no columns (apiserver pkg/registry/rest/table.go). */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  format: '',
  description: CREATED,
  priority: 0,
  cell: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};

import { randomUUID } from 'node:crypto';
import type { FieldManager } from '../apimachinery/managedfields/field-manager.js';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../apimachinery/options/write-options.js';
import type { ListOptions } from '../apimachinery/options/list-options.js';
import type { GetOptions } from '../apimachinery/options/query-options.js';
import type { DeleteOptions } from '../apimachinery/options/delete-options.js';
import type { ObjectStore, StoredObject, Watch, WatchReceiver } from '../storage/object-store.js';
import type { AdmissionPlugin } from './admission/admission.js';
import { type NameGenerator, fieldManagerOf, generateName } from './objects/object-values.js';
import type { RequestContext, UserInfo } from './resource/request-context.js';
import { type ResourceDefinition, storageResource } from './resource/resource-definition.js';
import { type ResourceScope, namespaceOf, objectKey } from './scope/resource-scope.js';
import type { ListPage, RequestTarget, ResourceStore, UpdateResult, UpdateSource, WritePolicy } from './resource/resource-store.js';
import { StoredCodec } from './objects/stored-codec.js';
import { createObject } from './verbs/create.js';
import { type DeleteResult, deleteObject } from './verbs/delete.js';
import { deleteCollection } from './verbs/delete-collection.js';
import { getObject } from './verbs/get.js';
import { listObjects } from './verbs/list.js';
import { updateObject } from './verbs/update.js';
import { watchObjects } from './verbs/watch.js';

export interface ResourceStoreOptions<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly objects: ObjectStore;
  /** The server's admission plugins, shared by every resource. */
  readonly admission: AdmissionPlugin;
  /** Per-object authorization of writes; most resources have none. */
  readonly writePolicy?: WritePolicy<T>;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  /** Default: a FieldManager over all versions of the definition. */
  readonly fieldManager?: FieldManager;
  readonly generateName?: NameGenerator;
  /** Default: random ones. */
  readonly newUid?: (user: UserInfo) => string;
}

/**
 * The verbs of any resource, implemented over an ObjectStore (upstream: registry/generic/registry.Store). Stateless: concurrent calls share
 * nothing but the ObjectStore. Every rejection is an ApiError; anything else is a defect.
 */
export class GenericResourceStore<T extends KubeObject = KubeObject> implements ResourceStore<T> {
  readonly definition: ResourceDefinition<T>;
  readonly #scope: ResourceScope<T>;

  constructor(options: ResourceStoreOptions<T>) {
    const { definition, objects, admission, now } = options;
    const { group, hubGroup = group, resource, kind } = definition;
    this.definition = definition;
    this.#scope = {
      definition,
      resource: { group, resource },
      kind: { group: hubGroup, kind },
      storageResource: storageResource(definition),
      objects,
      codec: new StoredCodec(definition),
      admission,
      ...(options.writePolicy ? { writePolicy: options.writePolicy } : {}),
      fieldManager: options.fieldManager ?? fieldManagerOf(definition),
      generateName: options.generateName ?? generateName,
      newUid: options.newUid ?? (() => randomUUID()),
      now,
    };
  }

  get(target: RequestTarget, options: GetOptions): Promise<StoredObject> {
    return getObject(this.#scope, target, options);
  }

  list(target: RequestTarget, options: ListOptions): Promise<ListPage> {
    return listObjects(this.#scope, target, options);
  }

  watch(target: RequestTarget, options: ListOptions, receive: WatchReceiver): Promise<Watch> {
    return watchObjects(this.#scope, target, options, receive);
  }

  /** See ObjectStore. */
  ageOf(revision: number): number {
    return this.#scope.objects.ageOf(revision);
  }

  create(context: RequestContext, target: RequestTarget, object: KubeObject, options: WriteOptions): Promise<StoredObject> {
    return createObject(this.#scope, context, target, object, options);
  }

  update(context: RequestContext, target: RequestTarget, source: UpdateSource, options: WriteOptions): Promise<UpdateResult> {
    return updateObject(this.#scope, { context, target, source, options });
  }

  delete(context: RequestContext, target: RequestTarget, options: DeleteOptions): Promise<DeleteResult> {
    const key = objectKey(this.#scope, namespaceOf(this.#scope, target), target.name);
    return deleteObject(this.#scope, context, key, options);
  }

  deleteCollection(
    context: RequestContext,
    target: RequestTarget,
    listOptions: ListOptions,
    deleteOptions: DeleteOptions,
  ): Promise<ListPage> {
    return deleteCollection(this.#scope, context, target, listOptions, deleteOptions);
  }
}

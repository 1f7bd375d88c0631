import { randomUUID } from 'node:crypto';
import type { FieldManager } from '../apimachinery/managedfields/field-manager.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { CreateOptions, DeleteOptions, GetOptions, ListOptions, UpdateOptions } from '../apimachinery/meta/options/request-options.js';
import type { ObjectStore, StoredObject, Watch, WatchReceiver } from '../storage/object-store.js';
import type { AdmissionPlugin } from './admission/admission.js';
import { fieldManagerOf } from './field-manager-of.js';
import type { NameGenerator } from './name-generator.js';
import { generateName } from './name-generator.js';
import type { RequestContext } from './request-context.js';
import type { ResourceDefinition } from './resource-definition.js';
import { storageResource } from './resource-definition.js';
import type { ResourceScope } from './resource-scope.js';
import { namespaceOf, objectKey } from './resource-scope.js';
import type { ListPage, RequestTarget, ResourceStore, UpdateResult, UpdateSource } from './resource-store.js';
import { StoredCodec } from './stored-codec.js';
import { createObject } from './verbs/create.js';
import type { DeleteResult } from './verbs/delete.js';
import { deleteObject } from './verbs/delete.js';
import { deleteCollection } from './verbs/delete-collection.js';
import { getObject } from './verbs/get.js';
import { listObjects } from './verbs/list.js';
import { updateObject } from './verbs/update.js';
import { watchObjects } from './verbs/watch.js';
import type { WriteGuard } from './write-guard.js';

export interface ResourceStoreOptions<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly objects: ObjectStore;
  /** The server's admission plugins; every resource shares them. */
  readonly admission: AdmissionPlugin;
  /** Looks at who writes what; absent for most resources. */
  readonly guard?: WriteGuard<T>;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  /** Default: one of its own for all versions of the definition. */
  readonly fieldManager?: FieldManager;
  readonly generateName?: NameGenerator;
  readonly newUid?: () => string;
}

/** The verbs of any resource over an ObjectStore (upstream: registry/generic/registry.Store). Holds no state. */
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
      ...(options.guard ? { guard: options.guard } : {}),
      fieldManager: options.fieldManager ?? fieldManagerOf(definition),
      generateName: options.generateName ?? generateName,
      newUid: options.newUid ?? randomUUID,
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

  create(context: RequestContext, target: RequestTarget, object: KubeObject, options: CreateOptions): Promise<StoredObject> {
    return createObject(this.#scope, context, target, object, options);
  }

  update(context: RequestContext, target: RequestTarget, source: UpdateSource, options: UpdateOptions): Promise<UpdateResult> {
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

import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { CreateOptions, DeleteOptions, GetOptions, ListOptions, UpdateOptions } from '../apimachinery/meta/options/request-options.js';
import type { Status } from '../apimachinery/meta/status.js';
import type { StoredObject, Watch, WatchReceiver } from '../storage/object-store.js';
import type { RequestContext } from './request-context.js';
import type { ResourceDefinition, ResourceVersionDefinition } from './resource-definition.js';

/** What a request is about: the version it speaks, and the namespace and name of its URL ('' where the URL has none). */
export interface RequestTarget {
  readonly version: ResourceVersionDefinition;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Where the new state of an update comes from, asked anew for every attempt of the read-modify-write loop. Objects are in the
 * shape of the target's version. `live` is undefined where the object does not exist.
 */
export interface UpdateSource {
  /** The object as the client wants it; may throw an ApiError. */
  next(live: KubeObject | undefined): KubeObject;
  /** UID precondition (PUT bodies with a uid). */
  readonly uid?: string;
  /** PUT and apply create where nothing is; other patches answer 404. */
  readonly mayCreate: boolean;
  /**
   * Who does the bookkeeping of managedFields: the registry, as an Update operation (PUT and non-apply patches), or the source itself (apply).
   */
  readonly tracksFields: 'update' | 'own';
  /** Retry on a lost race without telling the client (patches without a resourceVersion of their own). */
  readonly retries: boolean;
}

export interface UpdateResult {
  readonly object: StoredObject;
  readonly created: boolean;
  /** The same as a hub object, where the update has it at hand. The receiver's own. */
  readonly hub?: KubeObject;
}

export interface ListPage {
  readonly objects: readonly StoredObject[];
  /** ListMeta for the answer. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** Normalised shard selector; absent without one. */
  readonly shardSelector?: string;
}

/**
 * The verbs of one resource (upstream: registry/generic/registry.Store). Answers stored states; the caller encodes them for its
 * version and media type. A state with revision 0 has no resourceVersion (a dry run that creates). Every rejection is an ApiError.
 */
export interface ResourceStore<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition<T>;

  get(target: RequestTarget, options: GetOptions): Promise<StoredObject>;

  /** `namespace` '' lists all namespaces (or a cluster-scoped resource); target.name pins one object (fieldSelector or path). */
  list(target: RequestTarget, options: ListOptions): Promise<ListPage>;

  /** Starts a watch; what is wrong with parameters rejects, what is wrong with history comes as an error item. */
  watch(target: RequestTarget, options: ListOptions, receive: WatchReceiver): Promise<Watch>;

  create(context: RequestContext, target: RequestTarget, object: KubeObject, options: CreateOptions): Promise<StoredObject>;

  update(context: RequestContext, target: RequestTarget, source: UpdateSource, options: UpdateOptions): Promise<UpdateResult>;

  /** `object`: only marked, finalizers hold it (202 instead of 200 if `accepted`); otherwise it is gone and `status` is the answer. */
  delete(
    context: RequestContext,
    target: RequestTarget,
    options: DeleteOptions,
  ): Promise<{ object: StoredObject; accepted: boolean } | { status: Status }>;

  /** Answers what was listed. */
  deleteCollection(
    context: RequestContext,
    target: RequestTarget,
    listOptions: ListOptions,
    deleteOptions: DeleteOptions,
  ): Promise<ListPage>;
}

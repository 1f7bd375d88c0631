import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import type { GetOptions } from '../../apimachinery/options/query-options.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import type { StoredObject, Watch, WatchReceiver } from '../../storage/object-store.js';
import type { RequestContext } from './request-context.js';
import type { ResourceDefinition, ResourceVersionDefinition } from './resource-definition.js';

/** The target of a request: its API version, and the namespace and name in its URL ('' if absent). */
export interface RequestTarget {
  readonly version: ResourceVersionDefinition;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Computes the new state of an update; called once per attempt of the read-modify-write loop, so it must not keep state. Objects are in the
 * shape of the target's version. `live` is undefined if the object does not exist.
 */
export interface UpdateSource {
  /** Returns the object that the client wants. May throw an ApiError. */
  next(live: KubeObject | undefined): KubeObject;
  /** UID precondition (PUT bodies with a uid). */
  readonly uid?: string;
  /** Whether a missing object is created (PUT, apply). Otherwise the result is a 404. */
  readonly mayCreate: boolean;
  /** Asked before it is: rejects with the 403 to send. Absent: it is allowed. */
  readonly authorizeCreate?: () => Promise<void>;
  /** What updates managedFields: 'update' the registry (PUT and non-apply patches), 'own' the source itself (apply). */
  readonly tracksFields: 'update' | 'own';
  /** Whether a lost race is retried without telling the client (patches without a resourceVersion). */
  readonly retries: boolean;
}

export interface UpdateResult {
  readonly object: StoredObject;
  readonly created: boolean;
  /** The same state as a hub object, if the update already has it. The caller owns it and may change it. */
  readonly hub?: KubeObject;
}

export interface ListPage {
  readonly objects: readonly StoredObject[];
  /** ListMeta of the response. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** The normalised shard selector, if one was given. */
  readonly shardSelector?: string;
}

/**
 * The verbs of one resource (upstream: registry/generic/registry.Store). Methods resolve with stored states, which the caller encodes for
 * its version and media type. A state with revision 0 has no resourceVersion (a create with dryRun). Every rejection is an ApiError.
 */
export interface ResourceStore<T extends KubeObject = KubeObject> {
  readonly definition: ResourceDefinition<T>;

  get(target: RequestTarget, options: GetOptions): Promise<StoredObject>;

  /** Namespace '' lists all namespaces, or a cluster-scoped resource. A name in the target restricts the list to that object. */
  list(target: RequestTarget, options: ListOptions): Promise<ListPage>;

  /** Starts a watch. Bad parameters reject; a compacted history arrives as an error item. */
  watch(target: RequestTarget, options: ListOptions, receive: WatchReceiver): Promise<Watch>;

  create(context: RequestContext, target: RequestTarget, object: KubeObject, options: WriteOptions): Promise<StoredObject>;

  update(context: RequestContext, target: RequestTarget, source: UpdateSource, options: WriteOptions): Promise<UpdateResult>;

  /**
   * Resolves with `object` if finalizers hold it and it was only marked (202 instead of 200 if `accepted`), otherwise with the Status to
   * send.
   */
  delete(
    context: RequestContext,
    target: RequestTarget,
    options: DeleteOptions,
  ): Promise<{ object: StoredObject; accepted: boolean } | { status: Status }>;

  /** Resolves with the list of deleted objects. */
  deleteCollection(
    context: RequestContext,
    target: RequestTarget,
    listOptions: ListOptions,
    deleteOptions: DeleteOptions,
  ): Promise<ListPage>;
}

/** A write for a WritePolicy to judge. */
export interface PolicedWrite<T extends KubeObject = KubeObject> {
  readonly context: RequestContext;
  /** Name and namespace as in the URL. */
  readonly target: RequestTarget;
  /** The new object, with defaults, not yet validated. */
  readonly object: T;
  /** The current object; undefined for a create. */
  readonly live: T | undefined;
  /** Whether an update sent the current uid, creationTimestamp and generation instead of leaving them to the server. */
  readonly repeatsIdentity: boolean;
}

/**
 * Decides whether a user may write this particular object, beyond what verb and URL tell the authorizer (upstream: the policy-based stores
 * of RBAC).
 */
export interface WritePolicy<T extends KubeObject = KubeObject> {
  /** Called after admission and before validation. Throws or rejects with the ApiError to send; a promise only if it has to wait. */
  check(write: PolicedWrite<T>): void | Promise<void>;
}

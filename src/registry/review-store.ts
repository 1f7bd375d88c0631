import { type JsonEncoder, compileEncoder } from '../apimachinery/codec/json/json-encoder.js';
import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../apimachinery/options/write-options.js';
import type { StoredObject } from '../storage/object-store.js';
import { refuse } from './errors/interpret-storage-error.js';
import { dedupeOwnerReferences, wipeSystemFields } from './rules/before-write.js';
import { fieldManagerOf } from './objects/object-values.js';
import { matchNamespace } from './rules/preconditions.js';
import { ownCopy } from './objects/stored-codec.js';
import type { RequestContext } from './resource/request-context.js';
import { type ResourceDefinition, apiVersionOf, storageResource } from './resource/resource-definition.js';
import type { RequestTarget, ResourceStore } from './resource/resource-store.js';
import { trackFields } from './scope/resource-scope.js';

/** Where a review was posted. */
export interface AskedReview extends Pick<RequestTarget, 'namespace' | 'name'> {
  readonly dryRun: boolean;
}

export interface ReviewStoreOptions<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  /** Returns the review with its status filled in, as the same or a new object. May throw an ApiError. */
  readonly answer: (review: T, context: RequestContext, asked: AskedReview) => T | Promise<T>;
  /** The subresource name, such as `token`. Metadata about the parent object (its uid) is then kept. */
  readonly subresource?: string;
  readonly now: () => number;
}

/**
 * A resource whose objects are questions, such as SubjectAccessReview: a POST answers the question and stores nothing, with or without
 * dryRun (upstream: stores that implement only rest.Creater). Admission is skipped, so the namespace need not exist.
 */
export class ReviewStore<T extends KubeObject = KubeObject> implements ResourceStore<T> {
  readonly definition: ResourceDefinition<T>;
  readonly get = refuse;
  readonly list = refuse;
  readonly watch = refuse;
  readonly update = refuse;
  readonly delete = refuse;
  readonly deleteCollection = refuse;
  readonly #options: ReviewStoreOptions<T>;
  readonly #encode: JsonEncoder;
  readonly #tracking: Parameters<typeof trackFields>[0];

  constructor(options: ReviewStoreOptions<T>) {
    const { definition, now } = options;
    this.definition = definition;
    this.#options = options;
    this.#encode = compileEncoder(definition.storageVersion.schema);
    this.#tracking = { definition, fieldManager: fieldManagerOf(definition), now };
  }

  async create(context: RequestContext, target: RequestTarget, sent: KubeObject, options: WriteOptions): Promise<StoredObject> {
    const namespace = this.definition.namespaced ? target.namespace : '';
    const { subresource, answer } = this.#options;
    const object = ownCopy(sent);
    target.version.setDefaults?.(object);
    if (subresource === undefined) wipeSystemFields(object);
    matchNamespace(object.metadata, namespace);
    dedupeOwnerReferences(object.metadata, context, 'beforeAdmission');
    const tracked = trackFields(
      this.#tracking,
      { context, version: target.version, options, ...(subresource === undefined ? {} : { subresource }) },
      undefined,
      object,
    );
    const answered = await answer(tracked as T, context, { namespace, name: target.name, dryRun: options.dryRun });
    const key = { resource: storageResource(this.definition), namespace, name: answered.metadata.name ?? '' };
    // Unlike a stored object, it keeps the resourceVersion that was sent.
    const { kind, storageVersion } = this.definition;
    const data = this.#encode({ ...answered, kind, apiVersion: apiVersionOf(this.definition, storageVersion) });
    return { key, uid: answered.metadata.uid ?? '', data, terminating: false, revision: 0 };
  }
}

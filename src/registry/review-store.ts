import { methodNotAllowed } from '../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { CreateOptions } from '../apimachinery/meta/options/request-options.js';
import type { StoredObject } from '../storage/object-store.js';
import { wipeSystemFields } from './before-create.js';
import { fieldManagerOf } from './field-manager-of.js';
import { matchNamespace } from './match-target.js';
import { ownCopy } from './object-copy.js';
import { dedupeOwnerReferences } from './owner-references.js';
import type { RequestContext } from './request-context.js';
import type { ResourceDefinition } from './resource-definition.js';
import { storageResource } from './resource-definition.js';
import type { RequestTarget, ResourceStore } from './resource-store.js';
import { StoredCodec } from './stored-codec.js';
import { trackFields } from './track-fields.js';

/** Where a question was asked. */
export interface AskedReview extends Pick<RequestTarget, 'namespace' | 'name'> {
  readonly dryRun: boolean;
}

export interface ReviewStoreOptions<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  /** The object with its answer filled in; may be another object, and may throw an ApiError. */
  readonly answer: (review: T, context: RequestContext, asked: AskedReview) => T | Promise<T>;
  /** The subresource that it is, such as `token`; what it says of the object that it is asked of (its uid) is kept then. */
  readonly subresource?: string;
  readonly now: () => number;
}

/**
 * A resource whose objects are questions, such as SubjectAccessReview: a POST answers them and stores nothing, dry run or not
 * (upstream: stores with nothing but rest.Creater). Admission is not asked: the namespace need not exist.
 */
export class ReviewStore<T extends KubeObject = KubeObject> implements ResourceStore<T> {
  readonly definition: ResourceDefinition<T>;
  readonly #options: ReviewStoreOptions<T>;
  readonly #codec: StoredCodec<T>;
  readonly #tracking: Parameters<typeof trackFields>[0];

  constructor(options: ReviewStoreOptions<T>) {
    const { definition, now } = options;
    this.definition = definition;
    this.#options = options;
    this.#codec = new StoredCodec(definition);
    this.#tracking = { definition, fieldManager: fieldManagerOf(definition), now };
  }

  async create(context: RequestContext, target: RequestTarget, sent: KubeObject, options: CreateOptions): Promise<StoredObject> {
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
    return { key, ...this.#codec.encode(answered), revision: 0 };
  }

  get(): Promise<never> {
    return refuse();
  }

  list(): Promise<never> {
    return refuse();
  }

  watch(): Promise<never> {
    return refuse();
  }

  update(): Promise<never> {
    return refuse();
  }

  delete(): Promise<never> {
    return refuse();
  }

  deleteCollection(): Promise<never> {
    return refuse();
  }
}

/** No route leads here. */
function refuse(): Promise<never> {
  return Promise.reject(methodNotAllowed());
}

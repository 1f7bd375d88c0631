import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../../apimachinery/errors/status-errors.js';
import type { ListOptions } from '../../../apimachinery/options/list-options.js';
import { type RefusedRequest as Refused, RefusedRequests } from '../../../endpoints/refusals/refused-requests.js';
import { refuse } from '../../../registry/errors/interpret-storage-error.js';
import { StoredCodec } from '../../../registry/objects/stored-codec.js';
import { timestamp } from '../../../registry/objects/object-values.js';
import { storageResource } from '../../../registry/resource/resource-definition.js';
import type { ListPage, RequestTarget, ResourceStore } from '../../../registry/resource/resource-store.js';
import { selectObjects } from '../../../registry/scope/select-objects.js';
import { StoreServices } from '../../../registry/store-of.js';
import type { StoredObject } from '../../../storage/object-store.js';
import type { RefusedRequest } from './refused-request.schema.js';
import { refusedRequestDefinition } from './refused-request.resource.js';
import { causeOf, isWaiting, remedyFor } from './refusal-causes.js';

/** What a client of elections asks for; the last two are what old ones keep their records in. */
const KEPT = [
  { group: 'coordination.k8s.io', resource: 'leases' },
  { group: 'coordination.k8s.io', resource: 'leasecandidates' },
  { group: '', resource: 'configmaps' },
  { group: '', resource: 'endpoints' },
];

/** The process that remembers, as its log names it: hostname and pid. */
const SERVER = `${hostname()}/${process.pid}`;

/** Reads what is in the memory of this process. Lists are complete, whatever their limit, and have no resourceVersion. */
@Injectable()
export class RefusedRequestStore implements ResourceStore<RefusedRequest> {
  static readonly definition = refusedRequestDefinition;
  readonly definition;
  readonly watch = refuse;
  readonly create = refuse;
  readonly update = refuse;
  readonly delete = refuse;
  readonly deleteCollection = refuse;
  readonly #scope;

  constructor(
    services: StoreServices,
    @Inject(RefusedRequests) private readonly refused: RefusedRequests,
  ) {
    this.definition = services.storeOf(refusedRequestDefinition).definition;
    this.#scope = {
      definition: this.definition,
      storageResource: storageResource(refusedRequestDefinition),
      codec: new StoredCodec(refusedRequestDefinition),
    };
    for (const resource of KEPT) refused.keep(resource, causeOf);
  }

  get({ namespace, name }: RequestTarget): Promise<StoredObject> {
    const found = [...this.refused.recent()].find((each) => each.namespace === namespace && each.id === name);
    return found ? Promise.resolve(this.#stored(found)) : Promise.reject(notFound(refusedRequestDefinition, name));
  }

  async list(target: RequestTarget, options: ListOptions): Promise<ListPage> {
    const { range, predicate = () => true } = selectObjects(this.#scope, target, options);
    const objects = this.#all().filter(
      (object) =>
        (range.namespace === undefined || object.key.namespace === range.namespace) &&
        (range.name === undefined || object.key.name === range.name) &&
        predicate(object),
    );
    return Promise.resolve({ objects, resourceVersion: '' });
  }

  /** The latest first. */
  #all(): StoredObject[] {
    return [...this.refused.recent()].sort((a, b) => b.last - a.last).map((each) => this.#stored(each));
  }

  #stored(refused: Refused): StoredObject {
    const { id, resource, subresource, apiVersion, namespace, name, verb, user, userAgent, code, reason, field, cause, message } = refused;
    const { first, last, count } = refused;
    const object: RefusedRequest = {
      metadata: { name: id, namespace, creationTimestamp: timestamp(first) },
      spec: { objectName: name, resource: subresource === '' ? resource : `${resource}/${subresource}`, apiVersion, verb, user, userAgent },
      status: {
        code,
        reason,
        field,
        message,
        cause,
        remedy: remedyFor(refused),
        waiting: isWaiting(refused),
        server: SERVER,
        count,
        firstTime: new Date(first).toISOString(),
        lastTime: new Date(last).toISOString(),
      },
    };
    return { key: { resource: this.#scope.storageResource, namespace, name: id }, ...this.#scope.codec.encode(object), revision: 0 };
  }
}

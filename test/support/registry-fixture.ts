import { ApiError } from '../../src/apimachinery/errors/api-error.js';
import type { KubeObject } from '../../src/apimachinery/meta/object-meta.schema.js';
import { type ListOptions, DEFAULT_LIST_OPTIONS } from '../../src/apimachinery/options/list-options.js';
import type { DeleteOptions } from '../../src/apimachinery/options/delete-options.js';
import type { WriteOptions } from '../../src/apimachinery/options/write-options.js';
import type { Status } from '../../src/apimachinery/meta/status.schema.js';
import type { Lease } from '../../src/apis/coordination/lease/lease.schema.js';
import { leaseDefinition, leaseV1 } from '../../src/apis/coordination/lease/lease.resource.js';
import type { LeaseCandidate } from '../../src/apis/coordination/lease-candidate/lease-candidate.schema.js';
import { leaseCandidateDefinition } from '../../src/apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { Namespace } from '../../src/apis/core/namespace/namespace.schema.js';
import {
  namespaceDefinition,
  namespaceFinalizeDefinition,
  namespaceStatusDefinition,
  namespaceV1,
} from '../../src/apis/core/namespace/namespace.resource.js';
import { AdmissionChain, NamespaceLifecycle } from '../../src/registry/admission/admission.js';
import { GenericResourceStore } from '../../src/registry/generic-resource-store.js';
import { type RequestContext, systemContext } from '../../src/registry/resource/request-context.js';
import type { RequestTarget, UpdateSource } from '../../src/registry/resource/resource-store.js';
import { WatchedMemoryStore } from './watched-memory-store.js';
import type { ObjectStore, StoredObject } from '../../src/storage/object-store.js';
import { ManualScheduler } from './manual-scheduler.js';

export const WRITE: WriteOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Ignore' };
export const DRY_RUN: WriteOptions = { ...WRITE, dryRun: true };
export const DELETE: DeleteOptions = { dryRun: false };
export const LIST: ListOptions = DEFAULT_LIST_OPTIONS;

/** The registry over a WatchedMemoryStore, with a clock and generated names set by tests, and one namespace, `ns`. */
export class RegistryFixture {
  readonly scheduler = new ManualScheduler();
  readonly memory = new WatchedMemoryStore({ scheduler: this.scheduler });
  readonly warnings: string[] = [];
  /** The names that generateName yields before it falls back to numbers. */
  readonly names: string[] = [];
  nowMs = Date.parse('2026-01-02T03:04:05.678Z');
  readonly objects: ObjectStore;
  readonly leases: GenericResourceStore<Lease>;
  readonly leaseCandidates: GenericResourceStore<LeaseCandidate>;
  readonly namespaces: GenericResourceStore<Namespace>;
  readonly finalize: GenericResourceStore<Namespace>;
  readonly status: GenericResourceStore<Namespace>;
  readonly context: RequestContext = { ...systemContext('tester'), warn: (text) => this.warnings.push(text) };
  #uids = 0;

  constructor(decorate: (memory: WatchedMemoryStore) => ObjectStore = (memory) => memory) {
    this.objects = decorate(this.memory);
    const shared = {
      objects: this.objects,
      admission: new AdmissionChain([new NamespaceLifecycle(this.objects)]),
      now: () => this.nowMs,
      newUid: () => `uid-${++this.#uids}`,
      generateName: (prefix: string) => prefix + (this.names.shift() ?? String(++this.#uids)),
    };
    this.leases = new GenericResourceStore({ definition: leaseDefinition, ...shared });
    this.leaseCandidates = new GenericResourceStore({ definition: leaseCandidateDefinition, ...shared });
    this.namespaces = new GenericResourceStore({ definition: namespaceDefinition, ...shared });
    this.finalize = new GenericResourceStore({ definition: namespaceFinalizeDefinition, ...shared });
    this.status = new GenericResourceStore({ definition: namespaceStatusDefinition, ...shared });
  }

  async withNamespace(name = 'ns'): Promise<this> {
    await this.namespaces.create(this.context, namespaceTarget(''), { metadata: { name } }, WRITE);
    return this;
  }

  createLease(object: object, options = WRITE, namespace = 'ns'): Promise<StoredObject> {
    return this.leases.create(this.context, leaseTarget('', namespace), object as KubeObject, options);
  }

  /** Replaces the lease by this body. */
  async putLease(name: string, body: object, options = WRITE): Promise<StoredObject> {
    const result = await this.leases.update(this.context, leaseTarget(name), put(body as KubeObject), options);
    return result.object;
  }

  deleteLease(name: string, options: Partial<DeleteOptions> = {}) {
    return this.leases.delete(this.context, leaseTarget(name), { ...DELETE, ...options });
  }

  async getLease(name: string): Promise<Lease> {
    return decoded(await this.leases.get(leaseTarget(name), { resourceVersion: '' }));
  }
}

export function leaseTarget(name: string, namespace = 'ns'): RequestTarget {
  return { version: leaseV1, namespace, name };
}

export function namespaceTarget(name: string): RequestTarget {
  return { version: namespaceV1, namespace: '', name };
}

export function put(body: KubeObject): UpdateSource {
  return { next: () => body, uid: body.metadata.uid, mayCreate: true, tracksFields: 'update', retries: false };
}

/** A patch that applies this change to the live object. */
export function patch<T extends KubeObject>(change: (live: T) => object): UpdateSource {
  return { next: (live) => change((live ?? { metadata: {} }) as T) as KubeObject, mayCreate: false, tracksFields: 'update', retries: true };
}

/** The object of a stored state, with its revision as resourceVersion. */
export function decoded<T extends KubeObject = Lease>(stored: StoredObject): T {
  const object = JSON.parse(stored.data) as T;
  if (stored.revision > 0) object.metadata.resourceVersion = String(stored.revision);
  return object;
}

/** The Status of a rejection, which must be an ApiError. */
export async function refusal(work: Promise<unknown>): Promise<Status> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  throw new Error('it was not refused');
}

import type { Lease } from '../../../src/apis/coordination/lease/lease.schema.js';
import { leaseDefinition, leaseV1 } from '../../../src/apis/coordination/lease/lease.resource.js';
import type { Namespace } from '../../../src/apis/core/namespace/namespace.schema.js';
import {
  namespaceDefinition,
  namespaceFinalizeDefinition,
  namespaceStatusDefinition,
} from '../../../src/apis/core/namespace/namespace.resource.js';
import { AdmissionChain, NamespaceLifecycle } from '../../../src/registry/admission/admission.js';
import { GenericResourceStore } from '../../../src/registry/generic-resource-store.js';
import type { RequestTarget } from '../../../src/registry/resource/resource-store.js';
import type { ObjectStore } from '../../../src/storage/object-store.js';

/** The registry of one server. */
export class Api {
  readonly objects: ObjectStore;
  readonly leases: GenericResourceStore<Lease>;
  readonly namespaces: GenericResourceStore<Namespace>;
  readonly finalize: GenericResourceStore<Namespace>;
  readonly status: GenericResourceStore<Namespace>;

  constructor(objects: ObjectStore) {
    const shared = { objects, admission: new AdmissionChain([new NamespaceLifecycle(objects)]), now: () => Date.now() };
    this.objects = objects;
    this.leases = new GenericResourceStore({ definition: leaseDefinition, ...shared });
    this.namespaces = new GenericResourceStore({ definition: namespaceDefinition, ...shared });
    this.finalize = new GenericResourceStore({ definition: namespaceFinalizeDefinition, ...shared });
    this.status = new GenericResourceStore({ definition: namespaceStatusDefinition, ...shared });
  }
}

export const WRITE = { dryRun: false, fieldManager: 'client', fieldValidation: 'Ignore' } as const;

export function leaseTarget(namespace: string, name: string): RequestTarget {
  return { version: leaseV1, namespace, name };
}

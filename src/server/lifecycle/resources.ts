import { leaseCandidateDefinition } from '../../apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.js';
import { NodeLeaseGuard } from '../../apis/coordination/lease/node-lease-guard.js';
import type { Lease } from '../../apis/coordination/lease/lease.js';
import { leaseDefinition } from '../../apis/coordination/lease/lease.resource.js';
import type { PolicyStores } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { ensureNamespace } from '../../apis/core/namespace/ensure-namespaces.js';
import type { Namespace } from '../../apis/core/namespace/namespace.js';
import {
  namespaceDefinition,
  namespaceFinalizeDefinition,
  namespaceStatusDefinition,
} from '../../apis/core/namespace/namespace.resource.js';
import { eventDefinition } from '../../apis/core/event/event.resource.js';
import { eventsEventDefinition } from '../../apis/events/event/events-event.resource.js';
import { tokenRequestStore } from '../../apis/authentication/token-request/token-request.resource.js';
import type { ServiceAccount } from '../../apis/core/service-account/service-account.js';
import { serviceAccountDefinition } from '../../apis/core/service-account/service-account.resource.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import { AdmissionChain } from '../../registry/admission/admission.js';
import type { AdmissionPlugin } from '../../registry/admission/admission.js';
import { NamespaceAutoProvision } from '../../registry/admission/namespace-auto-provision.js';
import { NamespaceLifecycle } from '../../registry/admission/namespace-lifecycle.js';
import { GenericResourceStore } from '../../registry/generic-resource-store.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import type { Subresource } from '../../registry/resource-registry.js';
import type { ResourceStore } from '../../registry/resource-store.js';
import type { WriteGuard } from '../../registry/write-guard.js';
import type { ObjectStore } from '../../storage/object-store.js';
import type { Clock } from '../../telemetry/clock.js';
import { RuntimeConfig } from '../config/runtime-config.js';
import type { AccessResourcesOptions, CreateStore } from './access-resources.js';
import { createPolicyStores, createReviewStores } from './access-resources.js';

/** The resources of this server, over one object store. */
export interface Resources {
  readonly namespaces: ResourceStore<Namespace>;
  readonly leases: ResourceStore<Lease>;
  readonly leaseCandidates: ResourceStore<LeaseCandidate>;
  readonly serviceAccounts: ResourceStore<ServiceAccount>;
  readonly namespaceFinalize: ResourceStore<Namespace>;
  readonly namespaceStatus: ResourceStore<Namespace>;
  readonly policy: PolicyStores;
  /** Those whose objects live in namespaces; events once, although two groups serve them. */
  readonly namespaced: readonly ResourceStore[];
  /** Everything that is stored. */
  readonly stored: readonly ResourceStore[];
  /** Everything that is served, in the order of discovery. */
  readonly served: readonly ResourceStore[];
  readonly subresources: readonly Subresource[];
}

export interface ResourcesOptions {
  readonly objects: ObjectStore;
  readonly now: Clock;
  /** `--enable-admission-plugins`. */
  readonly admissionPlugins: readonly string[];
  /** Entries of `--runtime-config`. */
  readonly runtimeConfig?: readonly string[];
  readonly access: AccessResourcesOptions;
}

/** The stores of all resources. Throws StartError for versions that are not known. */
export function createResources({ objects, now, admissionPlugins, runtimeConfig = [], access }: ResourcesOptions): Resources {
  const versions = new RuntimeConfig(runtimeConfig);
  const plugins: AdmissionPlugin[] = [];
  const admission = new AdmissionChain(plugins);
  const store: CreateStore = <T extends KubeObject>(definition: ResourceDefinition<T>, guard?: WriteGuard<T>): ResourceStore<T> =>
    new GenericResourceStore({ definition: versions.apply(definition), objects, admission, ...(guard ? { guard } : {}), now });

  const namespaces = store(namespaceDefinition);
  if (admissionPlugins.includes('NamespaceAutoProvision')) {
    plugins.push(new NamespaceAutoProvision(objects, (name) => ensureNamespace(namespaces, name)));
  }
  plugins.push(new NamespaceLifecycle(objects));

  const leases = store(leaseDefinition, access.restrictsNodes ? new NodeLeaseGuard() : undefined);
  const leaseCandidates = store(leaseCandidateDefinition);
  const serviceAccounts = store(serviceAccountDefinition);
  const events = store(eventDefinition);
  const eventsOfEventsGroup = store(eventsEventDefinition) as unknown as ResourceStore;
  const accounts = serviceAccounts as unknown as ResourceStore;
  const coordination = [leases, leaseCandidates] as unknown as ResourceStore[];
  const namespaceFinalize = store(namespaceFinalizeDefinition);
  const namespaceStatus = store(namespaceStatusDefinition);
  const policy = createPolicyStores(store, access);
  const { roles, roleBindings, clusterRoles, clusterRoleBindings } = policy;
  const namespacedPolicy = [roles, roleBindings] as unknown as ResourceStore[];
  const allPolicy = [...namespacedPolicy, clusterRoles, clusterRoleBindings];
  versions.refuseUnknown();
  return {
    namespaces,
    leases,
    leaseCandidates,
    serviceAccounts,
    namespaceFinalize,
    namespaceStatus,
    policy,
    namespaced: [events, accounts, ...coordination, ...namespacedPolicy],
    stored: [events, namespaces, accounts, ...coordination, ...allPolicy],
    served: [events, namespaces, accounts, eventsOfEventsGroup, ...createReviewStores(access, now), ...allPolicy, ...coordination],
    subresources: [
      { name: 'finalize', verbs: ['update'], store: namespaceFinalize },
      { name: 'status', verbs: ['get', 'patch', 'update'], store: namespaceStatus },
      {
        name: 'token',
        verbs: ['create'],
        of: serviceAccountDefinition,
        store: tokenRequestStore({ ...access.serviceAccountTokens, accounts, admission, now, unlimited: access.allowsEverything === true }),
      },
    ],
  };
}

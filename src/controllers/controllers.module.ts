import { Module } from '@nestjs/common';
import { LeaseCandidateModule, LeaseCandidateStore } from '../apis/coordination/lease-candidate/lease-candidate.module.js';
import { LeaseModule, LeaseStore } from '../apis/coordination/lease/lease.module.js';
import { EventModule } from '../apis/core/event/event.module.js';
import { NamespaceFinalizeStore, NamespaceStatusStore, NamespaceStore, NamespaceModule } from '../apis/core/namespace/namespace.module.js';
import { ServiceAccountModule } from '../apis/core/service-account/service-account.module.js';
import { PolicyModule } from '../apis/rbac/bootstrap/policy.module.js';
import { ClusterRoleModule, ClusterRoleStore } from '../apis/rbac/role/roles.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import type { ResourceStore } from '../registry/resource/resource-store.js';
import { ServedVersions } from '../registry/serves.js';
import { Storage } from '../storage/storage.js';
import { StorageModule } from '../storage/storage.module.js';
import { AbandonedLeaseMetrics, AbandonedLeaseReconciler } from './abandoned-leases/abandoned-lease.reconciler.js';
import { AccessInformers } from './access/access-informers.js';
import { ClusterRoleAggregationReconciler } from './access/cluster-role-aggregation.reconciler.js';
import { ClusterNamespaceReconciler } from './cluster/cluster-namespace.reconciler.js';
import { ControllerManager } from './controller-manager.js';
import { ControllersSettings } from './controllers.settings.js';
import { FinalizerClearingReconciler } from './deletion/finalizer-clearing.reconciler.js';
import { NamespaceDeletionReconciler } from './deletion/namespace-deletion.reconciler.js';
import { EventExpiryReconciler } from './events/event-expiry.reconciler.js';
import {
  IdentityLeaseGcReconciler,
  IdentityLeaseReconciler,
  identityComponent,
  replicaIdentity,
} from './identity-lease/identity-lease.reconciler.js';
import { LeaseExpiryFactory, LeaseExpiryStores } from './lease-expiry/lease-expiry-factory.js';
import { LeaderElectionReconciler } from './leader-election/leader-election.reconciler.js';
import { LeaseCandidateGcReconciler } from './leader-election/lease-candidate-gc.reconciler.js';
import {
  type DeclaredController,
  ABANDONED_LEASES,
  CLUSTER_NAMESPACES,
  CLUSTER_ROLE_AGGREGATION,
  ControllerServices,
  DECLARED_CONTROLLERS,
  EVENT_EXPIRY,
  FINALIZER_CLEARING,
  IDENTITY_LEASE,
  IDENTITY_LEASE_GC,
  LEADER_ELECTION,
  LEASE_CANDIDATE_GC,
  LEASE_EXPIRY,
  NAMESPACE_DELETION,
  onElectedReplica,
  onEveryReplica,
} from './machinery/declared-controller.js';

const NAMESPACES = [ServedVersions, NamespaceFinalizeStore, NamespaceStatusStore, Storage] as const;

/** Terms outlive their namespaces. */
const isDeletable = ({ definition }: ResourceStore) => definition.verbs.includes('delete');

const CONTROLLERS = [
  onEveryReplica(NAMESPACE_DELETION, NAMESPACES, (services, { stored }, finalize, status, { states }) => {
    const content = stored.filter(({ definition }) => definition.namespaced).filter(isDeletable);
    return new NamespaceDeletionReconciler({ ...services, content, finalize, status, states });
  }),
  onEveryReplica(
    FINALIZER_CLEARING,
    [ServedVersions],
    (services, { stored }) => new FinalizerClearingReconciler({ ...services, resources: stored.filter(isDeletable) }),
  ),
  onEveryReplica(
    IDENTITY_LEASE,
    [LeaseStore],
    (services, leases) =>
      new IdentityLeaseReconciler({
        ...services,
        ...replicaIdentity(services.address),
        component: identityComponent(services.auth),
        leases,
      }),
  ),
  onEveryReplica(
    CLUSTER_ROLE_AGGREGATION,
    [ClusterRoleStore],
    (services, clusterRoles) => new ClusterRoleAggregationReconciler({ ...services, clusterRoles }),
  ),
  onElectedReplica(
    LEADER_ELECTION,
    [LeaseStore, LeaseCandidateStore],
    (services, leases, candidates) => new LeaderElectionReconciler({ ...services, leases, candidates }),
  ),
  onElectedReplica(
    LEASE_CANDIDATE_GC,
    [LeaseCandidateStore],
    (services, candidates) => new LeaseCandidateGcReconciler({ ...services, candidates }),
  ),
  onElectedReplica(
    IDENTITY_LEASE_GC,
    [LeaseStore],
    (services, leases) => new IdentityLeaseGcReconciler({ ...services, leases, component: identityComponent(services.auth) }),
  ),
  onElectedReplica(
    CLUSTER_NAMESPACES,
    [NamespaceStore],
    (services, namespaces) => new ClusterNamespaceReconciler({ ...services, namespaces, kubeconfig: services.auth.clusterKubeconfig }),
  ),
  onElectedReplica(
    EVENT_EXPIRY,
    [ControllersSettings],
    (services, { eventTtl }) => new EventExpiryReconciler({ ...services, ttlMs: eventTtl }),
  ),
  onEveryReplica(LEASE_EXPIRY, [LeaseExpiryFactory], (services, factory) => factory.create(services)),
  onElectedReplica(
    ABANDONED_LEASES,
    [ControllersSettings, LeaseStore, Storage, AbandonedLeaseMetrics],
    (services, { abandonedLeaseTtl: ttlMs }, leases, { lapses }, { deleted: onDeleted }) =>
      new AbandonedLeaseReconciler({ ...services, leases, ttlMs, clock: () => lapses.clock(), onDeleted }),
  ),
];

const declared = {
  provide: DECLARED_CONTROLLERS,
  inject: CONTROLLERS.map(({ provide }) => provide),
  useFactory: (...controllers: DeclaredController[]) => controllers,
};

/** The controllers and the informers of access. The process starts them: informers before it listens, controllers once it has a port. */
@Module({
  imports: [
    StorageModule,
    RegistryModule,
    AuthModule,
    EventModule,
    LeaseModule,
    LeaseCandidateModule,
    NamespaceModule,
    ServiceAccountModule,
    ClusterRoleModule,
    PolicyModule,
  ],
  providers: [
    ControllerServices,
    AbandonedLeaseMetrics,
    LeaseExpiryStores,
    LeaseExpiryFactory,
    ...CONTROLLERS,
    declared,
    ControllerManager,
    AccessInformers,
  ],
})
export class ControllersModule {}

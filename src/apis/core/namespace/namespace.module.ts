import { type OnModuleInit, Module } from '@nestjs/common';
import { AuthSettings } from '../../../auth/auth.settings.js';
import { clusterClient } from '../../../kube/cluster-target.js';
import { AdmissionChain, NamespaceAutoProvision, NamespaceLifecycle } from '../../../registry/admission/admission.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { RegistrySettings } from '../../../registry/registry.settings.js';
import { serves } from '../../../registry/serves.js';
import { StoreServices, storeOf } from '../../../registry/store-of.js';
import { ClusterNamespaces, ensureNamespace } from './cluster-namespaces.js';
import { namespaceDefinition, namespaceFinalizeDefinition, namespaceStatusDefinition, namespaceV1 } from './namespace.resource.js';

export class NamespaceStore extends storeOf(namespaceDefinition) {}

/** The store behind namespaces/NAME/finalize, whose PUT may change spec.finalizers. */
export class NamespaceFinalizeStore extends storeOf(namespaceFinalizeDefinition) {}

/** The store behind namespaces/NAME/status. */
export class NamespaceStatusStore extends storeOf(namespaceStatusDefinition) {}

const STORES = [NamespaceStore, NamespaceFinalizeStore, NamespaceStatusStore];

const SUBRESOURCES = [
  { name: 'finalize', verbs: ['update'], store: NamespaceFinalizeStore },
  { name: 'status', verbs: ['get', 'patch', 'update'], store: NamespaceStatusStore },
] as const;

@Module({ imports: [RegistryModule], providers: [...STORES, serves(NamespaceStore, namespaceV1, SUBRESOURCES)], exports: STORES })
export class NamespaceModule implements OnModuleInit {
  constructor(
    private readonly admission: AdmissionChain,
    private readonly services: StoreServices,
    private readonly namespaces: NamespaceStore,
    private readonly settings: RegistrySettings,
    private readonly auth: AuthSettings,
  ) {}

  onModuleInit(): void {
    const { objects } = this.services;
    if (this.settings.enableAdmissionPlugins.includes('NamespaceAutoProvision')) {
      this.admission.add(new NamespaceAutoProvision(objects, (name) => ensureNamespace(this.namespaces, name)));
    }
    if (this.auth.clusterKubeconfig !== '') {
      const cluster = clusterClient(this.auth.clusterKubeconfig);
      const namespaces = new ClusterNamespaces(cluster, this.namespaces, this.services.now);
      this.admission.add(new NamespaceAutoProvision(objects, namespaces.ensure));
    }
    this.admission.add(new NamespaceLifecycle(objects));
  }
}

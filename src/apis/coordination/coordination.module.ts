import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import {
  leaseCandidateDefinition,
  leaseCandidateV1alpha1,
  leaseCandidateV1alpha2,
  leaseCandidateV1beta1,
} from './lease-candidate/lease-candidate.resource.js';
import { LeaseCandidateV1alpha1Module } from './lease-candidate/v1alpha1/lease-candidate-v1alpha1.module.js';
import { LeaseCandidateV1alpha2Module } from './lease-candidate/v1alpha2/lease-candidate-v1alpha2.module.js';
import { LeaseCandidateV1beta1Module } from './lease-candidate/v1beta1/lease-candidate-v1beta1.module.js';
import { leaseDefinition, leaseV1, leaseV1beta1 } from './lease/lease.resource.js';
import { LeaseV1Module } from './lease/v1/lease-v1.module.js';
import { LeaseV1beta1Module } from './lease/v1beta1/lease-v1beta1.module.js';

const MODULES = [
  { definition: leaseDefinition, version: leaseV1, module: LeaseV1Module },
  { definition: leaseDefinition, version: leaseV1beta1, module: LeaseV1beta1Module },
  { definition: leaseCandidateDefinition, version: leaseCandidateV1beta1, module: LeaseCandidateV1beta1Module },
  { definition: leaseCandidateDefinition, version: leaseCandidateV1alpha2, module: LeaseCandidateV1alpha2Module },
  { definition: leaseCandidateDefinition, version: leaseCandidateV1alpha1, module: LeaseCandidateV1alpha1Module },
] as const;

/** The group coordination.k8s.io: one module for each resource and version that is served. */
@Module({})
export class CoordinationModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = MODULES.filter(({ definition, version }) => registry.serves(definition, version));
    return { module: CoordinationModule, imports: served.map(({ module }) => module.register(endpoints)) };
  }
}

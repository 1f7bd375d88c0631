import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { storeOf } from '../../../registry/store-of.js';
import {
  leaseCandidateDefinition,
  leaseCandidateV1alpha1,
  leaseCandidateV1alpha2,
  leaseCandidateV1beta1,
} from './lease-candidate.resource.js';

/** The store of lease candidates, which all versions share. */
export class LeaseCandidateStore extends storeOf(leaseCandidateDefinition) {}

@Module({
  imports: [RegistryModule],
  providers: [
    LeaseCandidateStore,
    serves(LeaseCandidateStore, leaseCandidateV1beta1),
    serves(LeaseCandidateStore, leaseCandidateV1alpha2),
    serves(LeaseCandidateStore, leaseCandidateV1alpha1),
  ],
  exports: [LeaseCandidateStore],
})
export class LeaseCandidateModule {}

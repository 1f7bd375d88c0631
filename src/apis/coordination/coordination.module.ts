import { Module } from '@nestjs/common';
import { LeaseLockModule } from './lease/lock/lease-lock.module.js';
import { LeaseStateModule } from './lease/state/lease-state.module.js';
import { LeaseV1Module } from './lease/v1/lease-v1.module.js';
import { LeaseV1beta1Module } from './lease/v1beta1/lease-v1beta1.module.js';
import { LeaseCandidateV1beta1Module } from './lease-candidate/v1beta1/lease-candidate-v1beta1.module.js';
import { LeaseCandidateV1alpha2Module } from './lease-candidate/v1alpha2/lease-candidate-v1alpha2.module.js';
import { LeaseCandidateV1alpha1Module } from './lease-candidate/v1alpha1/lease-candidate-v1alpha1.module.js';

/** The group coordination.k8s.io. */
@Module({
  imports: [
    LeaseV1Module,
    LeaseV1beta1Module,
    LeaseLockModule,
    LeaseStateModule,
    LeaseCandidateV1beta1Module,
    LeaseCandidateV1alpha2Module,
    LeaseCandidateV1alpha1Module,
  ],
})
export class CoordinationModule {}

import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseCandidateV1alpha2Controller } from './lease-candidate-v1alpha2.controller.js';

/** LeaseCandidate in version v1alpha2. */
@Module({})
export class LeaseCandidateV1alpha2Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LeaseCandidateV1alpha2Module, imports: [endpoints], controllers: [LeaseCandidateV1alpha2Controller] };
  }
}

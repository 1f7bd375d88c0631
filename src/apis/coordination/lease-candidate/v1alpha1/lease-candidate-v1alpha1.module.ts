import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseCandidateV1alpha1Controller } from './lease-candidate-v1alpha1.controller.js';

/** LeaseCandidate in version v1alpha1. */
@Module({})
export class LeaseCandidateV1alpha1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LeaseCandidateV1alpha1Module, imports: [endpoints], controllers: [LeaseCandidateV1alpha1Controller] };
  }
}

import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseCandidateV1beta1Controller } from './lease-candidate-v1beta1.controller.js';

/** LeaseCandidate in version v1beta1. */
@Module({})
export class LeaseCandidateV1beta1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LeaseCandidateV1beta1Module, imports: [endpoints], controllers: [LeaseCandidateV1beta1Controller] };
  }
}

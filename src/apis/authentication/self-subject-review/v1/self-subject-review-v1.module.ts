import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { SelfSubjectReviewV1Controller } from './self-subject-review-v1.controller.js';

/** SelfSubjectReview in version v1. */
@Module({})
export class SelfSubjectReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: SelfSubjectReviewV1Module, imports: [endpoints], controllers: [SelfSubjectReviewV1Controller] };
  }
}

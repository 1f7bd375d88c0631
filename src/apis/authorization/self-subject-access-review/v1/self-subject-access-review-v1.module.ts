import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { SelfSubjectAccessReviewV1Controller } from './self-subject-access-review-v1.controller.js';

/** SelfSubjectAccessReview in version v1. */
@Module({})
export class SelfSubjectAccessReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: SelfSubjectAccessReviewV1Module, imports: [endpoints], controllers: [SelfSubjectAccessReviewV1Controller] };
  }
}

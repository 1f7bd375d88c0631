import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LocalSubjectAccessReviewV1Controller } from './local-subject-access-review-v1.controller.js';

/** LocalSubjectAccessReview in version v1. */
@Module({})
export class LocalSubjectAccessReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LocalSubjectAccessReviewV1Module, imports: [endpoints], controllers: [LocalSubjectAccessReviewV1Controller] };
  }
}

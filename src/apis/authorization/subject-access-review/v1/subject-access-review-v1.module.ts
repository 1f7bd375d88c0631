import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { SubjectAccessReviewV1Controller } from './subject-access-review-v1.controller.js';

/** SubjectAccessReview in version v1. */
@Module({})
export class SubjectAccessReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: SubjectAccessReviewV1Module, imports: [endpoints], controllers: [SubjectAccessReviewV1Controller] };
  }
}

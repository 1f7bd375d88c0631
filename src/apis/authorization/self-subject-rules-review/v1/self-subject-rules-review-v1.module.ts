import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { SelfSubjectRulesReviewV1Controller } from './self-subject-rules-review-v1.controller.js';

/** SelfSubjectRulesReview in version v1. */
@Module({})
export class SelfSubjectRulesReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: SelfSubjectRulesReviewV1Module, imports: [endpoints], controllers: [SelfSubjectRulesReviewV1Controller] };
  }
}

import { Module } from '@nestjs/common';
import { AuthModule } from '../../../../auth/auth.module.js';
import { serves } from '../../../../registry/serves.js';
import { SelfSubjectRulesReviewStore } from '../self-subject-rules-review.store.js';

/** SelfSubjectRulesReview in version v1. */
@Module({
  imports: [AuthModule],
  providers: [SelfSubjectRulesReviewStore, serves(SelfSubjectRulesReviewStore, SelfSubjectRulesReviewStore.definition.storageVersion)],
})
export class SelfSubjectRulesReviewV1Module {}

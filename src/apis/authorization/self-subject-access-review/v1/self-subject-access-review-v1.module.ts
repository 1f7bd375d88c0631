import { Module } from '@nestjs/common';
import { AuthModule } from '../../../../auth/auth.module.js';
import { serves } from '../../../../registry/serves.js';
import { SelfSubjectAccessReviewStore } from '../self-subject-access-review.store.js';

/** SelfSubjectAccessReview in version v1. */
@Module({
  imports: [AuthModule],
  providers: [SelfSubjectAccessReviewStore, serves(SelfSubjectAccessReviewStore, SelfSubjectAccessReviewStore.definition.storageVersion)],
})
export class SelfSubjectAccessReviewV1Module {}

import { Module } from '@nestjs/common';
import { AuthModule } from '../../../../auth/auth.module.js';
import { serves } from '../../../../registry/serves.js';
import { SubjectAccessReviewStore } from '../subject-access-review.store.js';

/** SubjectAccessReview in version v1. */
@Module({
  imports: [AuthModule],
  providers: [SubjectAccessReviewStore, serves(SubjectAccessReviewStore, SubjectAccessReviewStore.definition.storageVersion)],
})
export class SubjectAccessReviewV1Module {}

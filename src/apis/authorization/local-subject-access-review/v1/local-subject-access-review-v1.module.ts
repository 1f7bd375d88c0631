import { Module } from '@nestjs/common';
import { AuthModule } from '../../../../auth/auth.module.js';
import { serves } from '../../../../registry/serves.js';
import { LocalSubjectAccessReviewStore } from '../local-subject-access-review.store.js';

/** LocalSubjectAccessReview in version v1. */
@Module({
  imports: [AuthModule],
  providers: [
    LocalSubjectAccessReviewStore,
    serves(LocalSubjectAccessReviewStore, LocalSubjectAccessReviewStore.definition.storageVersion),
  ],
})
export class LocalSubjectAccessReviewV1Module {}

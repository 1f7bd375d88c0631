import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { serves } from '../../registry/serves.js';
import { LocalSubjectAccessReviewStore } from './local-subject-access-review.store.js';
import { SelfSubjectAccessReviewStore } from './self-subject-access-review.store.js';
import { SelfSubjectRulesReviewStore } from './self-subject-rules-review.store.js';
import { SubjectAccessReviewStore } from './subject-access-review.store.js';

/** The group authorization.k8s.io, which reviews rights. */
@Module({
  imports: [AuthModule],
  providers: [
    LocalSubjectAccessReviewStore,
    SelfSubjectAccessReviewStore,
    SelfSubjectRulesReviewStore,
    SubjectAccessReviewStore,
    serves(LocalSubjectAccessReviewStore),
    serves(SelfSubjectAccessReviewStore),
    serves(SelfSubjectRulesReviewStore),
    serves(SubjectAccessReviewStore),
  ],
})
export class AuthorizationModule {}

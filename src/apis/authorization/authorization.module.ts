import { Module } from '@nestjs/common';
import { LocalSubjectAccessReviewV1Module } from './local-subject-access-review/v1/local-subject-access-review-v1.module.js';
import { SelfSubjectAccessReviewV1Module } from './self-subject-access-review/v1/self-subject-access-review-v1.module.js';
import { SelfSubjectRulesReviewV1Module } from './self-subject-rules-review/v1/self-subject-rules-review-v1.module.js';
import { SubjectAccessReviewV1Module } from './subject-access-review/v1/subject-access-review-v1.module.js';

/** The group authorization.k8s.io, which reviews rights. */
@Module({
  imports: [LocalSubjectAccessReviewV1Module, SelfSubjectAccessReviewV1Module, SelfSubjectRulesReviewV1Module, SubjectAccessReviewV1Module],
})
export class AuthorizationModule {}

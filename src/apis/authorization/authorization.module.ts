import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LocalSubjectAccessReviewV1Module } from './local-subject-access-review/v1/local-subject-access-review-v1.module.js';
import { SelfSubjectAccessReviewV1Module } from './self-subject-access-review/v1/self-subject-access-review-v1.module.js';
import { SelfSubjectRulesReviewV1Module } from './self-subject-rules-review/v1/self-subject-rules-review-v1.module.js';
import { SubjectAccessReviewV1Module } from './subject-access-review/v1/subject-access-review-v1.module.js';

const MODULES = [
  LocalSubjectAccessReviewV1Module,
  SelfSubjectAccessReviewV1Module,
  SelfSubjectRulesReviewV1Module,
  SubjectAccessReviewV1Module,
];

/** The group authorization.k8s.io: questions about what somebody may do. */
@Module({})
export class AuthorizationModule {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: AuthorizationModule, imports: MODULES.map((module) => module.register(endpoints)) };
  }
}

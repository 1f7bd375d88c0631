import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { localSubjectAccessReviewDefinition } from './local-subject-access-review/local-subject-access-review.resource.js';
import { LocalSubjectAccessReviewV1Module } from './local-subject-access-review/v1/local-subject-access-review-v1.module.js';
import { selfSubjectAccessReviewDefinition } from './self-subject-access-review/self-subject-access-review.resource.js';
import { SelfSubjectAccessReviewV1Module } from './self-subject-access-review/v1/self-subject-access-review-v1.module.js';
import { selfSubjectRulesReviewDefinition } from './self-subject-rules-review/self-subject-rules-review.resource.js';
import { SelfSubjectRulesReviewV1Module } from './self-subject-rules-review/v1/self-subject-rules-review-v1.module.js';
import { subjectAccessReviewDefinition } from './subject-access-review/subject-access-review.resource.js';
import { SubjectAccessReviewV1Module } from './subject-access-review/v1/subject-access-review-v1.module.js';

const MODULES = [
  { definition: localSubjectAccessReviewDefinition, module: LocalSubjectAccessReviewV1Module },
  { definition: selfSubjectAccessReviewDefinition, module: SelfSubjectAccessReviewV1Module },
  { definition: selfSubjectRulesReviewDefinition, module: SelfSubjectRulesReviewV1Module },
  { definition: subjectAccessReviewDefinition, module: SubjectAccessReviewV1Module },
] as const;

/** The group authorization.k8s.io: questions about what somebody may do. */
@Module({})
export class AuthorizationModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = MODULES.filter(({ definition }) => registry.serves(definition, definition.storageVersion));
    return { module: AuthorizationModule, imports: served.map(({ module }) => module.register(endpoints)) };
  }
}

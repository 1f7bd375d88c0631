import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import type { ResourceRegistry } from '../../registry/resource-registry.js';
import { selfSubjectReviewDefinition } from './self-subject-review/self-subject-review.resource.js';
import { SelfSubjectReviewV1Module } from './self-subject-review/v1/self-subject-review-v1.module.js';
import { tokenReviewDefinition } from './token-review/token-review.resource.js';
import { TokenReviewV1Module } from './token-review/v1/token-review-v1.module.js';

const MODULES = [
  { definition: selfSubjectReviewDefinition, module: SelfSubjectReviewV1Module },
  { definition: tokenReviewDefinition, module: TokenReviewV1Module },
] as const;

/** The group authentication.k8s.io: questions about who somebody is. */
@Module({})
export class AuthenticationModule {
  static register(endpoints: DynamicModule, registry: ResourceRegistry): DynamicModule {
    const served = MODULES.filter(({ definition }) => registry.serves(definition, definition.storageVersion));
    return { module: AuthenticationModule, imports: served.map(({ module }) => module.register(endpoints)) };
  }
}

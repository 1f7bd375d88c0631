import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { SelfSubjectReviewV1Module } from './self-subject-review/v1/self-subject-review-v1.module.js';
import { TokenReviewV1Module } from './token-review/v1/token-review-v1.module.js';

const MODULES = [SelfSubjectReviewV1Module, TokenReviewV1Module];

/** The group authentication.k8s.io: questions about who somebody is. */
@Module({})
export class AuthenticationModule {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: AuthenticationModule, imports: MODULES.map((module) => module.register(endpoints)) };
  }
}

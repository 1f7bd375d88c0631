import { Module } from '@nestjs/common';
import { SelfSubjectReviewV1Module } from './self-subject-review/v1/self-subject-review-v1.module.js';
import { TokenReviewV1Module } from './token-review/v1/token-review-v1.module.js';

/** The group authentication.k8s.io, which reviews identities and tokens. */
@Module({ imports: [SelfSubjectReviewV1Module, TokenReviewV1Module] })
export class AuthenticationModule {}

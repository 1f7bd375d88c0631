import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { serves } from '../../registry/serves.js';
import { SelfSubjectReviewStore } from './self-subject-review.store.js';
import { TokenReviewStore } from './token-review.store.js';

/** The group authentication.k8s.io, which reviews identities and tokens. */
@Module({
  imports: [AuthModule],
  providers: [SelfSubjectReviewStore, TokenReviewStore, serves(SelfSubjectReviewStore), serves(TokenReviewStore)],
})
export class AuthenticationModule {}

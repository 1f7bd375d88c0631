import { Module } from '@nestjs/common';
import { AuthModule } from '../../../../auth/auth.module.js';
import { serves } from '../../../../registry/serves.js';
import { TokenReviewStore } from '../token-review.store.js';

/** TokenReview in version v1. */
@Module({ imports: [AuthModule], providers: [TokenReviewStore, serves(TokenReviewStore, TokenReviewStore.definition.storageVersion)] })
export class TokenReviewV1Module {}

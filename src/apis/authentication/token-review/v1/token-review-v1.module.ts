import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { TokenReviewV1Controller } from './token-review-v1.controller.js';

/** TokenReview in version v1. */
@Module({})
export class TokenReviewV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: TokenReviewV1Module, imports: [endpoints], controllers: [TokenReviewV1Controller] };
  }
}

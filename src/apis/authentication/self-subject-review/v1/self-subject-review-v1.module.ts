import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { SelfSubjectReviewStore } from '../self-subject-review.store.js';

/** SelfSubjectReview in version v1. */
@Module({ providers: [SelfSubjectReviewStore, serves(SelfSubjectReviewStore, SelfSubjectReviewStore.definition.storageVersion)] })
export class SelfSubjectReviewV1Module {}

import { Inject, Injectable } from '@nestjs/common';
import { badRequest } from '../../../apimachinery/errors/status-errors.js';
import type { Authorizer, UserRules } from '../../../auth/authorization/authorizer.js';
import { AUTHORIZER } from '../../../auth/authorization/authorizer.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { Clock } from '../../../telemetry/clock.js';
import { CLOCK } from '../../../telemetry/clock.js';
import type { SelfSubjectRulesReview } from './self-subject-rules-review.resource.js';
import { selfSubjectRulesReviewDefinition } from './self-subject-rules-review.resource.js';

/** Answers what the requesting user may do in a namespace. The response is a new object without the request. */
@Injectable()
export class SelfSubjectRulesReviewStore extends ReviewStore<SelfSubjectRulesReview> {
  static readonly definition = selfSubjectRulesReviewDefinition;

  constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
    super({
      definition: selfSubjectRulesReviewDefinition,
      answer: ({ spec }, { user }) => {
        if (!spec.namespace) throw badRequest('no namespace on request');
        return { metadata: {}, spec: {}, status: statusOf(authorizer.rulesFor?.(user, spec.namespace) ?? { rules: [], incomplete: true }) };
      },
      now,
    });
  }
}

function statusOf({ rules, incomplete, evaluationError }: UserRules): SelfSubjectRulesReview['status'] {
  return {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0),
    nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0),
    incomplete,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  };
}

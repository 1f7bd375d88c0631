import { badRequest } from '../../../apimachinery/errors/status-errors.js';
import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import type { Authorizer, UserRules } from '../../../auth/authorization/authorizer.js';
import type { PolicyRule } from '../../../auth/authorization/rbac/policy-rule.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import { ReviewStore } from '../../../registry/review-store.js';
import { AUTHORIZATION_GROUP } from '../access-review.js';
import { selfSubjectRulesReviewV1Schema } from './v1/self-subject-rules-review-v1.schema.js';

export interface SelfSubjectRulesReview extends KubeObject {
  spec?: { namespace?: string };
  status?: {
    resourceRules: readonly PolicyRule[];
    nonResourceRules: readonly PolicyRule[];
    incomplete: boolean;
    evaluationError?: string;
  };
}

export const selfSubjectRulesReviewDefinition = reviewDefinition<SelfSubjectRulesReview>({
  group: AUTHORIZATION_GROUP,
  resource: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
  namespaced: false,
  schema: selfSubjectRulesReviewV1Schema,
  example: { metadata: {}, spec: { namespace: 'default' } },
});

/** Asks what the asker may do in a namespace. The answer is an object of its own, without the question. */
export function selfSubjectRulesReviewStore(authorizer: Authorizer, now: () => number): ReviewStore<SelfSubjectRulesReview> {
  return new ReviewStore<SelfSubjectRulesReview>({
    definition: selfSubjectRulesReviewDefinition,
    answer: ({ spec }, { user }) => {
      if (!spec?.namespace) throw badRequest('no namespace on request');
      return { metadata: {}, status: statusOf(authorizer.rulesFor?.(user, spec.namespace) ?? { rules: [], incomplete: true }) };
    },
    now,
  });
}

function statusOf({ rules, incomplete, evaluationError }: UserRules): SelfSubjectRulesReview['status'] {
  return {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0),
    nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0),
    incomplete,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  };
}

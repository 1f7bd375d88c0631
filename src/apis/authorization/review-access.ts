import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { Authorizer, Decision } from '../../auth/authorization/authorizer.js';
import type { RequestContext, UserInfo } from '../../registry/resource/request-context.js';
import type { AccessReview, AccessReviewSpec } from './authorization.schema.js';
import { AUTHORIZATION_GROUP } from './authorization.schema.js';
import { requestedAttributes, selectorProblems } from './requested-attributes.js';

/** Answers an access review: `validate` checks the request, and `userOf` returns the user to check. Throws the 422. */
export function accessReviewer(
  authorizer: Authorizer,
  validate: (review: AccessReview) => FieldError[],
  userOf: (spec: AccessReviewSpec, context: RequestContext) => UserInfo,
): (review: AccessReview, context: RequestContext) => Promise<AccessReview> {
  return async (review, context) => {
    const errors = validate(review);
    // Upstream leaves the kind of a decoded object empty, so the message shows none.
    if (errors.length > 0) throw invalidObject({ group: AUTHORIZATION_GROUP, kind: '' }, '', errors);
    const spec = review.spec ?? {};
    const decision = await authorizer.authorize(userOf(spec, context), requestedAttributes(spec));
    return { ...review, status: statusOf(decision, selectorProblems(spec)) };
  };
}

function statusOf(decision: Decision, problems: string): AccessReview['status'] {
  const { allowed, reason = '' } = decision;
  if (allowed) return { allowed, denied: false, reason, evaluationError: problems };
  const error = decision.error?.message ?? '';
  return { allowed, denied: decision.denied === true, reason, evaluationError: [error, problems].filter((text) => text !== '').join('; ') };
}

/** The user named in the request. */
export function namedUser({ user = '', uid = '', groups = [], extra = {} }: AccessReviewSpec): UserInfo {
  return { name: user, uid, groups, extra };
}

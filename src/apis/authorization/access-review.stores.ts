import { Inject, Injectable } from '@nestjs/common';
import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { type Authorizer, type Decision, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import type { RequestContext, UserInfo } from '../../registry/resource/request-context.js';
import { type ReviewOptions, reviewDefinition } from '../../registry/resource/resource-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './access-review.validation.js';
import {
  type AccessReview,
  type AccessReviewSpec,
  AUTHORIZATION_GROUP,
  reviewSchema,
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';
import { requestedAttributes, selectorProblems } from './requested-attributes.js';

interface AccessReviewOptions extends Omit<ReviewOptions, 'group' | 'schema'> {
  readonly description: string;
  readonly spec: StructType;
  /** Checks the request. */
  readonly validate: (review: AccessReview) => FieldError[];
  /** The user to check. */
  readonly userOf: (spec: AccessReviewSpec, context: RequestContext) => UserInfo;
}

const leaseUpdate = { group: 'coordination.k8s.io', resource: 'leases', verb: 'update', namespace: 'default' };
const updateByAlice = { user: 'alice', groups: ['dev'], resourceAttributes: leaseUpdate };
const namedUser = ({ user = '', uid = '', groups = [], extra = {} }: AccessReviewSpec): UserInfo => ({ name: user, uid, groups, extra });

/** Answers whether the requesting user may do something. */
export class SelfSubjectAccessReviewStore extends accessReviewStore({
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  description: 'A request to check whether the user who sends it may perform an action.',
  spec: selfSubjectAccessReviewSpecSchema,
  example: { metadata: {}, spec: { resourceAttributes: leaseUpdate } },
  validate: validateSelfSubjectAccessReview,
  userOf: (_spec, { user }) => user,
}) {}

/** Answers whether a user may do something. */
export class SubjectAccessReviewStore extends accessReviewStore({
  kind: 'SubjectAccessReview',
  namespaced: false,
  description: 'A request to check whether a user may perform an action.',
  spec: subjectAccessReviewSpecSchema,
  example: { metadata: {}, spec: updateByAlice },
  validate: validateSubjectAccessReview,
  userOf: namedUser,
}) {}

/** Answers whether a user may do something in one namespace. */
export class LocalSubjectAccessReviewStore extends accessReviewStore({
  kind: 'LocalSubjectAccessReview',
  namespaced: true,
  description: 'A request to check whether a user may perform an action in one namespace.',
  spec: subjectAccessReviewSpecSchema,
  example: { metadata: { namespace: 'default' }, spec: updateByAlice },
  validate: validateLocalSubjectAccessReview,
  userOf: namedUser,
}) {}

/** The class of a store that answers access reviews by the server's authorizer. */
function accessReviewStore({ description, spec, validate, userOf, ...names }: AccessReviewOptions) {
  const schema = reviewSchema(names.kind, description, spec, subjectAccessReviewStatusSchema);
  const definition = reviewDefinition<AccessReview>({ group: AUTHORIZATION_GROUP, schema, ...names });

  @Injectable()
  class Store extends ReviewStore<AccessReview> {
    static readonly definition = definition;

    constructor(@Inject(AUTHORIZER) authorizer: Authorizer, @Inject(CLOCK) now: Clock) {
      super({ definition, answer, now });

      async function answer(review: AccessReview, context: RequestContext): Promise<AccessReview> {
        const errors = validate(review);
        // Upstream leaves the kind of a decoded object empty, so the message shows none.
        if (errors.length > 0) throw invalidObject({ group: AUTHORIZATION_GROUP, kind: '' }, '', errors);
        const asked = review.spec ?? {};
        const decision = await authorizer.authorize(userOf(asked, context), requestedAttributes(asked));
        return { ...review, status: statusOf(decision, selectorProblems(asked)) };
      }
    }
  }
  return Store;
}

function statusOf(decision: Decision, problems: string): AccessReview['status'] {
  const { allowed, reason = '' } = decision;
  if (allowed) return { allowed, denied: false, reason, evaluationError: problems };
  const error = decision.error?.message ?? '';
  return { allowed, denied: decision.denied === true, reason, evaluationError: [error, problems].filter((text) => text !== '').join('; ') };
}

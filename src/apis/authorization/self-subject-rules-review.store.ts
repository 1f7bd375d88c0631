import { Inject, Injectable } from '@nestjs/common';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { type TypeOf, bool, field, list, requiredField, string, struct } from '../../apimachinery/schema/struct-type.js';
import { type Authorizer, type UserRules, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { reviewDefinition } from '../../registry/resource/resource-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { AUTHORIZATION_GROUP, AUTHORIZATION_V1, reviewSchema } from './authorization.schema.js';

const specSchema = struct(`${AUTHORIZATION_V1}.SelfSubjectRulesReviewSpec`, 'The namespace to review.', [
  field('namespace', 1, string(), 'omitEmpty', 'The namespace. Required.'),
]);

const resourceRuleSchema = struct(`${AUTHORIZATION_V1}.ResourceRule`, 'Permissions on resources.', [
  requiredField('verbs', 1, list(string()), "Verbs that are allowed; '*' means all."),
  field('apiGroups', 2, list(string()), 'omitEmpty', "API groups of the resources; '*' means all."),
  field('resources', 3, list(string()), 'omitEmpty', "Resources, or 'resource/subresource'; '*' means all."),
  field('resourceNames', 4, list(string()), 'omitEmpty', 'Names of the objects; if empty, all objects.'),
]);

const nonResourceRuleSchema = struct(`${AUTHORIZATION_V1}.NonResourceRule`, 'Permissions on paths.', [
  requiredField('verbs', 1, list(string()), "HTTP methods in lower case; '*' means all."),
  field('nonResourceURLs', 2, list(string()), 'omitEmpty', "Paths; a '*' at the end matches any suffix."),
]);

const statusSchema = struct(`${AUTHORIZATION_V1}.SubjectRulesReviewStatus`, 'The permissions that could be determined.', [
  requiredField('resourceRules', 1, list(resourceRuleSchema), 'Permissions on resources, in no particular order.'),
  requiredField('nonResourceRules', 2, list(nonResourceRuleSchema), 'Permissions on other paths, in no particular order.'),
  requiredField('incomplete', 3, bool(), 'Whether the list may be incomplete.'),
  field('evaluationError', 4, string(), 'omitEmpty', 'Errors that occurred during the evaluation.'),
]);

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
const selfSubjectRulesReviewV1Schema = reviewSchema(
  'SelfSubjectRulesReview',
  'A request for the permissions that the user who sends it has in a namespace.',
  specSchema,
  statusSchema,
);

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
export type SelfSubjectRulesReview = TypeOf<typeof selfSubjectRulesReviewV1Schema>;

const selfSubjectRulesReviewDefinition = reviewDefinition<SelfSubjectRulesReview>({
  group: AUTHORIZATION_GROUP,
  kind: 'SelfSubjectRulesReview',
  namespaced: false,
  schema: selfSubjectRulesReviewV1Schema,
  example: { metadata: {}, spec: { namespace: 'default' } },
});

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

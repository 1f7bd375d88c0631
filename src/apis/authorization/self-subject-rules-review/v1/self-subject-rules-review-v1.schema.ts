import { bool, field, list, requiredField, string, struct } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHORIZATION_V1, reviewSchema } from '../../authorization.schema.js';

const specSchema = struct({
  goName: 'SelfSubjectRulesReviewSpec',
  openapiName: `${AUTHORIZATION_V1}.SelfSubjectRulesReviewSpec`,
  description: 'The namespace to review.',
  fields: [field('namespace', 1, string(), 'omitEmpty', 'The namespace. Required.')],
});

const resourceRuleSchema = struct({
  goName: 'ResourceRule',
  openapiName: `${AUTHORIZATION_V1}.ResourceRule`,
  description: 'Permissions on resources.',
  fields: [
    requiredField('verbs', 1, list(string()), "Verbs that are allowed; '*' means all."),
    field('apiGroups', 2, list(string()), 'omitEmpty', "API groups of the resources; '*' means all."),
    field('resources', 3, list(string()), 'omitEmpty', "Resources, or 'resource/subresource'; '*' means all."),
    field('resourceNames', 4, list(string()), 'omitEmpty', 'Names of the objects; if empty, all objects.'),
  ],
});

const nonResourceRuleSchema = struct({
  goName: 'NonResourceRule',
  openapiName: `${AUTHORIZATION_V1}.NonResourceRule`,
  description: 'Permissions on paths.',
  fields: [
    requiredField('verbs', 1, list(string()), "HTTP methods in lower case; '*' means all."),
    field('nonResourceURLs', 2, list(string()), 'omitEmpty', "Paths; a '*' at the end matches any suffix."),
  ],
});

const statusSchema = struct({
  goName: 'SubjectRulesReviewStatus',
  openapiName: `${AUTHORIZATION_V1}.SubjectRulesReviewStatus`,
  description: 'The permissions that could be determined.',
  fields: [
    requiredField('resourceRules', 1, list(resourceRuleSchema), 'Permissions on resources, in no particular order.'),
    requiredField('nonResourceRules', 2, list(nonResourceRuleSchema), 'Permissions on other paths, in no particular order.'),
    requiredField('incomplete', 3, bool(), 'Whether the list may be incomplete.'),
    field('evaluationError', 4, string(), 'omitEmpty', 'Errors that occurred during the evaluation.'),
  ],
});

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
export const selfSubjectRulesReviewV1Schema = reviewSchema(
  'SelfSubjectRulesReview',
  'A request for the permissions that the user who sends it has in a namespace.',
  specSchema,
  statusSchema,
);

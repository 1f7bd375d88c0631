import { bool, field, list, requiredField, string, struct } from '../../../../apimachinery/schema/type-builders.js';
import { AUTHORIZATION_V1, reviewSchema } from '../../authorization.schema.js';

const specSchema = struct({
  goName: 'SelfSubjectRulesReviewSpec',
  openapiName: `${AUTHORIZATION_V1}.SelfSubjectRulesReviewSpec`,
  description: 'Where rights are asked for.',
  fields: [field('namespace', 1, string(), 'omitEmpty', 'The namespace; it must be given.')],
});

const resourceRuleSchema = struct({
  goName: 'ResourceRule',
  openapiName: `${AUTHORIZATION_V1}.ResourceRule`,
  description: 'What may be done with which resources.',
  fields: [
    requiredField('verbs', 1, list(string()), "What may be done; '*' is everything."),
    field('apiGroups', 2, list(string()), 'omitEmpty', "The groups of the resources; '*' is all of them."),
    field('resources', 3, list(string()), 'omitEmpty', "The resources, or 'resource/subresource'; '*' is all of them."),
    field('resourceNames', 4, list(string()), 'omitEmpty', 'Only objects of these names; none: all objects.'),
  ],
});

const nonResourceRuleSchema = struct({
  goName: 'NonResourceRule',
  openapiName: `${AUTHORIZATION_V1}.NonResourceRule`,
  description: 'What may be done with which paths.',
  fields: [
    requiredField('verbs', 1, list(string()), "HTTP methods in lower case; '*' is all of them."),
    field('nonResourceURLs', 2, list(string()), 'omitEmpty', "The paths; a '*' at the end stands for whatever follows."),
  ],
});

const statusSchema = struct({
  goName: 'SubjectRulesReviewStatus',
  openapiName: `${AUTHORIZATION_V1}.SubjectRulesReviewStatus`,
  description: 'The rights that could be found out.',
  fields: [
    requiredField('resourceRules', 1, list(resourceRuleSchema), 'Rights on resources, in no particular order.'),
    requiredField('nonResourceRules', 2, list(nonResourceRuleSchema), 'Rights on other paths, in no particular order.'),
    requiredField('incomplete', 3, bool(), 'Whether there may be more.'),
    field('evaluationError', 4, string(), 'omitEmpty', 'What went wrong on the way to the answer.'),
  ],
});

/** authorization.k8s.io/v1 SelfSubjectRulesReview. */
export const selfSubjectRulesReviewV1Schema = reviewSchema(
  'SelfSubjectRulesReview',
  'Asks what the asker may do in a namespace.',
  specSchema,
  statusSchema,
);

import { fieldSelectorRequirementSchema, labelSelectorRequirementSchema } from '../../apimachinery/meta/label-selector.schema.js';
import { objectMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { bool, field, list, map, requiredField, string, struct, typeMetaFields } from '../../apimachinery/schema/type-builders.js';

export const AUTHORIZATION_V1 = 'io.k8s.api.authorization.v1';

function selectorSchema<Requirement extends StructType>(goName: string, requirement: Requirement, what: string) {
  return struct({
    goName,
    openapiName: `${AUTHORIZATION_V1}.${goName}`,
    description: `A selector by ${what}, as text or as conditions.`,
    fields: [
      field('rawSelector', 1, string(), 'omitEmpty', 'The selector as it would stand in a URL.'),
      field('requirements', 2, list(requirement), 'omitEmpty', 'The selector as conditions that all hold.'),
    ],
  });
}

/** authorization.k8s.io/v1 ResourceAttributes. */
export const resourceAttributesSchema = struct({
  goName: 'ResourceAttributes',
  openapiName: `${AUTHORIZATION_V1}.ResourceAttributes`,
  description: 'A request for resources.',
  fields: [
    field('namespace', 1, string(), 'omitEmpty', "The namespace; '' for cluster-scoped resources and for all namespaces."),
    field('verb', 2, string(), 'omitEmpty', "What is to be done: 'get', 'list', 'create' and so on; '*' is everything."),
    field('group', 3, string(), 'omitEmpty', "The group of the resource; '*' is all of them."),
    field('version', 4, string(), 'omitEmpty', "The version of the group; '*' is all of them."),
    field('resource', 5, string(), 'omitEmpty', "The resource; '*' is all of them."),
    field('subresource', 6, string(), 'omitEmpty', 'The subresource, if one is meant.'),
    field('name', 7, string(), 'omitEmpty', "The object that is meant; '' for a create and for all of them."),
    field(
      'fieldSelector',
      8,
      selectorSchema('FieldSelectorAttributes', fieldSelectorRequirementSchema, 'fields'),
      'optional',
      'Which objects a list is limited to, by fields.',
    ),
    field(
      'labelSelector',
      9,
      selectorSchema('LabelSelectorAttributes', labelSelectorRequirementSchema, 'labels'),
      'optional',
      'Which objects a list is limited to, by labels.',
    ),
  ],
});

/** authorization.k8s.io/v1 NonResourceAttributes. */
export const nonResourceAttributesSchema = struct({
  goName: 'NonResourceAttributes',
  openapiName: `${AUTHORIZATION_V1}.NonResourceAttributes`,
  description: 'A request for a path that is no resource.',
  fields: [
    field('path', 1, string(), 'omitEmpty', 'The path.'),
    field('verb', 2, string(), 'omitEmpty', 'The HTTP method, in lower case.'),
  ],
});

const attributes = [
  field('resourceAttributes', 1, resourceAttributesSchema, 'optional', 'The request, if it is for resources.'),
  field('nonResourceAttributes', 2, nonResourceAttributesSchema, 'optional', 'The request, if it is for another path.'),
] as const;

/** authorization.k8s.io/v1 SelfSubjectAccessReviewSpec. */
export const selfSubjectAccessReviewSpecSchema = struct({
  goName: 'SelfSubjectAccessReviewSpec',
  openapiName: `${AUTHORIZATION_V1}.SelfSubjectAccessReviewSpec`,
  description: 'What somebody wants to do. Exactly one of the two must be given.',
  fields: attributes,
});

/** authorization.k8s.io/v1 SubjectAccessReviewSpec. */
export const subjectAccessReviewSpecSchema = struct({
  goName: 'SubjectAccessReviewSpec',
  openapiName: `${AUTHORIZATION_V1}.SubjectAccessReviewSpec`,
  description: 'Who wants to do what. Exactly one of the two kinds of requests must be given.',
  fields: [
    ...attributes,
    field('user', 3, string(), 'omitEmpty', 'Name of the user; without one, of nobody but a member of the groups.'),
    field('groups', 4, list(string()), 'omitEmpty', 'The groups of the user.'),
    field(
      'extra',
      5,
      map(list(string(), { goType: 'v1.ExtraValue', undeclared: true, protoWrapped: true })),
      'omitEmpty',
      'What else authentication found out.',
    ),
    field('uid', 6, string(), 'omitEmpty', 'UID of the user.'),
  ],
});

/** authorization.k8s.io/v1 SubjectAccessReviewStatus. */
export const subjectAccessReviewStatusSchema = struct({
  goName: 'SubjectAccessReviewStatus',
  openapiName: `${AUTHORIZATION_V1}.SubjectAccessReviewStatus`,
  description: 'The answer.',
  fields: [
    requiredField('allowed', 1, bool(), 'Whether the request would be allowed.'),
    field('denied', 4, bool(), 'omitEmpty', 'Whether it would be refused, whatever others say.'),
    field('reason', 2, string(), 'omitEmpty', 'Why it would be allowed or refused.'),
    field('evaluationError', 3, string(), 'omitEmpty', 'What went wrong on the way to the answer.'),
  ],
});

/** Metadata, a spec and a status, of which every review in this group consists. */
export function reviewSchema<Spec extends StructType, Status extends StructType>(
  goName: string,
  description: string,
  spec: Spec,
  status: Status,
) {
  return struct({
    goName,
    openapiName: `${AUTHORIZATION_V1}.${goName}`,
    description,
    fields: [
      ...typeMetaFields(),
      field('metadata', 1, objectMetaSchema, 'always', 'Metadata, which has no meaning here.'),
      requiredField('spec', 2, spec, 'The question.'),
      field('status', 3, status, 'always', 'The answer, filled in by the server.'),
    ],
  });
}

import { type KubeObject, objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { fieldSelectorRequirementSchema, labelSelectorRequirementSchema } from '../../apimachinery/meta/label-selector.schema.js';
import {
  type StructType,
  type TypeOf,
  bool,
  field,
  list,
  map,
  requiredField,
  string,
  struct,
} from '../../apimachinery/schema/struct-type.js';

export const AUTHORIZATION_V1 = 'io.k8s.api.authorization.v1';

function selectorSchema<Requirement extends StructType>(goName: string, requirement: Requirement, what: string) {
  return struct(`${AUTHORIZATION_V1}.${goName}`, `A selector by ${what}, as text or as requirements.`, [
    field('rawSelector', 1, string(), 'omitEmpty', 'The selector in the form used in URLs.'),
    field('requirements', 2, list(requirement), 'omitEmpty', 'The selector as requirements, all of which must be met.'),
  ]);
}

const resourceAttributesSchema = struct(`${AUTHORIZATION_V1}.ResourceAttributes`, 'A request for resources.', [
  field('namespace', 1, string(), 'omitEmpty', "The namespace; '' for cluster-scoped resources and for all namespaces."),
  field('verb', 2, string(), 'omitEmpty', "Verb of the request: 'get', 'list', 'create' and so on; '*' means all."),
  field('group', 3, string(), 'omitEmpty', "API group of the resource; '*' means all."),
  field('version', 4, string(), 'omitEmpty', "API version of the resource; '*' means all."),
  field('resource', 5, string(), 'omitEmpty', "The resource; '*' means all."),
  field('subresource', 6, string(), 'omitEmpty', 'The subresource, if any.'),
  field('name', 7, string(), 'omitEmpty', "Name of the object; '' for create and for all objects."),
  field(
    'fieldSelector',
    8,
    selectorSchema('FieldSelectorAttributes', fieldSelectorRequirementSchema, 'fields'),
    'optional',
    'Field selector of the request.',
  ),
  field(
    'labelSelector',
    9,
    selectorSchema('LabelSelectorAttributes', labelSelectorRequirementSchema, 'labels'),
    'optional',
    'Label selector of the request.',
  ),
]);

const nonResourceAttributesSchema = struct(`${AUTHORIZATION_V1}.NonResourceAttributes`, 'A request for a path that is not a resource.', [
  field('path', 1, string(), 'omitEmpty', 'The path.'),
  field('verb', 2, string(), 'omitEmpty', 'The HTTP method, in lower case.'),
]);

const attributes = [
  field('resourceAttributes', 1, resourceAttributesSchema, 'optional', 'The request, if it is for resources.'),
  field('nonResourceAttributes', 2, nonResourceAttributesSchema, 'optional', 'The request, if it is for another path.'),
] as const;

export const selfSubjectAccessReviewSpecSchema = struct(
  `${AUTHORIZATION_V1}.SelfSubjectAccessReviewSpec`,
  'The action to review. Exactly one of the two fields must be set.',
  attributes,
);

export const subjectAccessReviewSpecSchema = struct(
  `${AUTHORIZATION_V1}.SubjectAccessReviewSpec`,
  'The user and the action to review. Exactly one of the two kinds of attributes must be set.',
  [
    ...attributes,
    field('user', 3, string(), 'omitEmpty', 'Name of the user. If empty, only the groups are considered.'),
    field('groups', 4, list(string()), 'omitEmpty', 'The groups of the user.'),
    field(
      'extra',
      5,
      map(list(string(), { goType: 'v1.ExtraValue', undeclared: true, protoWrapped: true })),
      'omitEmpty',
      'Additional attributes of the user.',
    ),
    field('uid', 6, string(), 'omitEmpty', 'UID of the user.'),
  ],
);

export const subjectAccessReviewStatusSchema = struct(`${AUTHORIZATION_V1}.SubjectAccessReviewStatus`, 'The result of a review.', [
  requiredField('allowed', 1, bool(), 'Whether the request would be allowed.'),
  field('denied', 4, bool(), 'omitEmpty', 'Whether the request would be denied regardless of other authorizers.'),
  field('reason', 2, string(), 'omitEmpty', 'Why the request would be allowed or denied.'),
  field('evaluationError', 3, string(), 'omitEmpty', 'Errors that occurred during the evaluation.'),
]);

/** Metadata, a spec and a status, of which every review in this group consists. */
export function reviewSchema<Spec extends StructType, Status extends StructType>(
  goName: string,
  description: string,
  spec: Spec,
  status: Status,
) {
  return struct(`${AUTHORIZATION_V1}.${goName}`, description, [
    ...objectFields('Standard metadata, which is not used.'),
    requiredField('spec', 2, spec, 'The question.'),
    field('status', 3, status, 'always', 'The result, filled in by the server.'),
  ]);
}

/** A request for resources. */
type ResourceAttributes = TypeOf<typeof resourceAttributesSchema>;

/** A selector as text or as conditions. */
export type SelectorAttributes = NonNullable<ResourceAttributes['labelSelector']>;

/** A request for a path that is not a resource. */
export type NonResourceAttributes = TypeOf<typeof nonResourceAttributesSchema>;

/** The request and the user to check; self reviews have no user. */
export type AccessReviewSpec = TypeOf<typeof subjectAccessReviewSpecSchema>;

/** The answer of an access review. */
type AccessReviewStatus = TypeOf<typeof subjectAccessReviewStatusSchema>;

/** SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview. */
export type AccessReview = KubeObject & { spec: AccessReviewSpec; status: AccessReviewStatus };

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';

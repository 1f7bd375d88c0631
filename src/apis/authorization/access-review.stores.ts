import { Inject, Injectable } from '@nestjs/common';
import { compileEncoder } from '../../apimachinery/codec/json/json-encoder.js';
import { type FieldError, invalid, required } from '../../apimachinery/errors/field-error.js';
import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import type { SelectorRequirement } from '../../apimachinery/meta/label-selector.schema.js';
import { type ObjectMeta, objectMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.js';
import { validateFieldRequirement, validateLabelRequirement } from '../../apimachinery/validation/selector-requirements.js';
import { type AuthorizationAttributes, type Authorizer, type Decision, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import type { RequestContext, UserInfo } from '../../registry/resource/request-context.js';
import { type ReviewOptions, reviewDefinition } from '../../registry/resource/resource-definition.js';
import { ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import {
  type AccessReview,
  type AccessReviewSpec,
  type NonResourceAttributes,
  type SelectorAttributes,
  AUTHORIZATION_GROUP,
  reviewSchema,
  selfSubjectAccessReviewSpecSchema,
  subjectAccessReviewSpecSchema,
  subjectAccessReviewStatusSchema,
} from './authorization.schema.js';

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

type ValidateRequirement = (requirement: SelectorRequirement, path: string, lenient: boolean) => FieldError[];

/** Validation of SubjectAccessReview (kubernetes pkg/apis/authorization/validation). */
function validateSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
  return [...validateSubjectSpec(spec), ...validateMetadata(metadata, metadata, 'must be empty')];
}

/** Validation of SelfSubjectAccessReview. */
export function validateSelfSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
  return [...validateAttributes(spec), ...validateSelectors(spec), ...validateMetadata(metadata, metadata, 'must be empty')];
}

/** Validation of LocalSubjectAccessReview. */
function validateLocalSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
  const { namespace = '', ...others } = metadata;
  const asked = spec.resourceAttributes?.namespace ?? '';
  return [
    ...validateSubjectSpec(spec),
    ...validateMetadata(metadata, others, 'must be empty except for namespace'),
    ...(spec.resourceAttributes && asked !== namespace
      ? [invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]
      : []),
    ...(spec.nonResourceAttributes
      ? [invalid('spec.nonResourceAttributes', internal(spec.nonResourceAttributes), 'disallowed on this kind of request')]
      : []),
  ];
}

function validateSubjectSpec(spec: AccessReviewSpec): FieldError[] {
  const nobody = (spec.user ?? '') === '' && (spec.groups ?? []).length === 0;
  return [
    ...validateAttributes(spec),
    ...(nobody ? [invalid('spec.user', '', 'at least one of user or group must be specified')] : []),
    ...validateSelectors(spec),
  ];
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): FieldError[] {
  if (!resourceAttributes !== !nonResourceAttributes) return [];
  const shown = nonResourceAttributes ? internal(nonResourceAttributes) : null;
  return [invalid('spec', shown, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')];
}

/** The value in the message: Go's internal type has no JSON names. */
function internal({ path = '', verb = '' }: NonResourceAttributes) {
  return { Path: path, Verb: verb };
}

function validateSelectors({ resourceAttributes }: AccessReviewSpec): FieldError[] {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  const path = 'spec.resourceAttributes';
  return [
    ...(fieldSelector ? validateSelector(fieldSelector, `${path}.fieldSelector`, validateFieldRequirement) : []),
    ...(labelSelector ? validateSelector(labelSelector, `${path}.labelSelector`, validateLabelRequirement) : []),
  ];
}

function validateSelector(selector: SelectorAttributes, path: string, validateRequirement: ValidateRequirement): FieldError[] {
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`));
  }
  return [...errors, ...requirements.flatMap((each, at) => validateRequirement(each, `${path}.requirements[${at}]`, true))];
}

/** `looked` is the part of the metadata that must be empty; managedFields are exempt, since the server has just added them. */
function validateMetadata(metadata: ObjectMeta, looked: ObjectMeta, text: string): FieldError[] {
  const encode = compileEncoder(objectMetaSchema);
  const { managedFields: _, ...rest } = looked;
  return encode(rest) === '{}' ? [] : [invalid('metadata', { toJSON: (): unknown => JSON.parse(encode(metadata)) }, text)];
}

/** A review's attributes in the form that authorizers take (kubernetes pkg/registry/authorization/util). */
function requestedAttributes({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): AuthorizationAttributes {
  if (!resourceAttributes) return { ...NOTHING, ...nonResourceAttributes };
  const { group = '', version, namespace = '', resource = '', subresource = '', name = '', verb = '' } = resourceAttributes;
  const target = { namespace, resource, subresource, name };
  return { ...NOTHING, isResourceRequest: true, verb, apiGroup: group, apiVersion: version || '*', ...target };
}

const NOTHING: AuthorizationAttributes = {
  isResourceRequest: false,
  verb: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  path: '',
};

/** The parts of the selectors that could not be read; authorization then checks a wider request, which is safe. '' if there are none. */
function selectorProblems({ resourceAttributes }: AccessReviewSpec): string {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return [
    describe('fieldSelector', fieldSelector, (text) => void parseFieldSelector(text), isReadableFieldRequirement),
    describe('labelSelector', labelSelector, (text) => void parseLabelSelector(text), isReadableLabelRequirement),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

function describe(
  name: string,
  selector: SelectorAttributes | undefined,
  parse: (text: string) => void,
  isReadable: (requirement: SelectorRequirement) => boolean,
): string {
  if (!selector) return '';
  const { rawSelector = '', requirements = [] } = selector;
  const readable = requirements.filter(isReadable).length;
  if (readable === requirements.length && (rawSelector === '' || parses(rawSelector, parse))) return '';
  return `spec.resourceAttributes.${name} ${readable > 0 ? 'partially ' : ''}ignored due to parse error`;
}

function parses(text: string, parse: (text: string) => void): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function isReadableLabelRequirement({ operator }: SelectorRequirement): boolean {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}

/** Field selectors support only a single value, equal or not equal. */
function isReadableFieldRequirement({ operator, values = [] }: SelectorRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

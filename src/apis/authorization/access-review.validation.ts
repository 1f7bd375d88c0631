import { compileEncoder } from '../../apimachinery/codec/json/json-encoder.js';
import { type FieldError, invalid, required } from '../../apimachinery/errors/field-error.js';
import type { SelectorRequirement } from '../../apimachinery/meta/label-selector.schema.js';
import { type ObjectMeta, objectMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { validateFieldRequirement, validateLabelRequirement } from '../../apimachinery/validation/selector-requirements.js';
import type { AccessReview, AccessReviewSpec, NonResourceAttributes, SelectorAttributes } from './authorization.schema.js';

type ValidateRequirement = (requirement: SelectorRequirement, path: string, lenient: boolean) => FieldError[];

/** Validation of SubjectAccessReview (kubernetes pkg/apis/authorization/validation). */
export function validateSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
  return [...validateSubjectSpec(spec), ...validateMetadata(metadata, metadata, 'must be empty')];
}

/** Validation of SelfSubjectAccessReview. */
export function validateSelfSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
  return [...validateAttributes(spec), ...validateSelectors(spec), ...validateMetadata(metadata, metadata, 'must be empty')];
}

/** Validation of LocalSubjectAccessReview. */
export function validateLocalSubjectAccessReview({ metadata, spec = {} }: AccessReview): FieldError[] {
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

import { type FieldError, forbidden, invalid, required, TypedString } from '../errors/field-error.js';
import type { LabelSelectorObject, SelectorRequirement } from '../meta/label-selector.schema.js';
import { validateLabelValue, validateQualifiedName } from './names.js';
import { checkLabels } from './object-meta.js';

/** The errors of a label selector inside an object (apimachinery pkg/apis/meta/v1/validation ValidateLabelSelector). */
export function validateLabelSelector({ matchLabels, matchExpressions = [] }: LabelSelectorObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (matchLabels) checkLabels(matchLabels, `${path}.matchLabels`, errors);
  const ofExpressions = matchExpressions.flatMap((each, at) => validateLabelRequirement(each, `${path}.matchExpressions[${at}]`, false));
  return [...errors, ...ofExpressions];
}

/** `lenient`: unknown operators are allowed, because evaluating the condition rejects them. */
export function validateLabelRequirement(requirement: SelectorRequirement, path: string, lenient: boolean): FieldError[] {
  const { key, values = [] } = requirement;
  return [
    ...validateOperator(requirement, path, lenient),
    ...validateQualifiedName(key).map((message) => invalid(`${path}.key`, key, message)),
    ...values.flatMap((value, at) => validateLabelValue(value).map((message) => invalid(`${path}.values[${at}]`, value, message))),
  ];
}

/** The rules for one condition of a field selector. `lenient`: unknown operators are allowed. */
export function validateFieldRequirement(requirement: SelectorRequirement, path: string, lenient: boolean): FieldError[] {
  const noKey = requirement.key === '' ? [required(`${path}.key`, 'must be specified')] : [];
  return [...noKey, ...validateOperator(requirement, path, lenient)];
}

function validateOperator({ operator, values = [] }: SelectorRequirement, path: string, lenient: boolean): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? [] : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return lenient ? [] : [invalid(`${path}.operator`, new TypedString(operator), 'not a valid selector operator')];
  }
}

import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { LabelSelectorObject } from '../../../apimachinery/meta/label-selector.schema.js';
import { validateLabelSelector } from '../../../apimachinery/validation/selector-requirements.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import { dropEmptyRules, requireVerbs, validatePolicyRules } from './policy-rules.js';
import { validateRbacMetadata } from '../../core/core-metadata.validation.js';
import type { ClusterRole } from './role.schema.js';

/** The strategy of roles and cluster roles (kubernetes pkg/registry/rbac/role and clusterrole). */
export function roleStrategy(namespaced: boolean): Strategy<ClusterRole> {
  const validate = (role: ClusterRole) => validateRole(role, namespaced);
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    withoutUnsafeDeletion: true,
    prepareForCreate: dropEmptyRules,
    prepareForUpdate: dropEmptyRules,
    validate,
    validateUpdate: validate,
  };
}

const PATH = 'aggregationRule.clusterRoleSelectors';

/** The rules for a role (kubernetes pkg/apis/rbac/validation ValidateRole, ValidateClusterRole). */
function validateRole(role: ClusterRole, namespaced: boolean): FieldError[] {
  const { metadata, rules, aggregationRule } = role;
  return [
    ...validateRbacMetadata(metadata, namespaced),
    ...validatePolicyRules(rules, namespaced),
    ...(aggregationRule ? validateAggregation(aggregationRule) : []),
    ...requireVerbs(rules),
  ];
}

function validateAggregation({ clusterRoleSelectors = [] }: NonNullable<ClusterRole['aggregationRule']>): FieldError[] {
  if (clusterRoleSelectors.length === 0) return [required(PATH, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return clusterRoleSelectors.flatMap((selector, at) => validateSelector(selector, `${PATH}[${at}]`));
}

function validateSelector(selector: LabelSelectorObject, path: string): FieldError[] {
  const errors = validateLabelSelector(selector, path);
  return errors.length === 0 ? [] : [...errors, invalid(path, null, 'invalid label selector.')];
}

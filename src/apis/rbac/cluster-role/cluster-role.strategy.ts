import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { LabelSelectorObject } from '../../../apimachinery/meta/label-selector.schema.js';
import { validateLabelSelector } from '../../../apimachinery/validation/selector-requirements.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptyRules, requireVerbs, validatePolicyRules } from '../policy-rules.js';
import { validateRbacMetadata } from '../rbac-metadata.validation.js';
import type { ClusterRole } from './cluster-role.schema.js';

/** The strategy of cluster roles (kubernetes pkg/registry/rbac/clusterrole). */
export const clusterRoleStrategy: Strategy<ClusterRole> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
};

const PATH = 'aggregationRule.clusterRoleSelectors';

/** The rules for a cluster role (kubernetes pkg/apis/rbac/validation ValidateClusterRole). */
function validateClusterRole(role: ClusterRole): FieldError[] {
  const { rules, aggregationRule } = role;
  return [
    ...validateRbacMetadata(role, false),
    ...validatePolicyRules(rules, false),
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

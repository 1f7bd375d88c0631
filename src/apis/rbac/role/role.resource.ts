import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { LabelSelectorObject } from '../../../apimachinery/meta/label-selector.schema.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { validateLabelSelector } from '../../../apimachinery/validation/selector-requirements.js';
import type { PolicyRule } from '../../../auth/authorization/rbac.schema.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import {
  type ResourceDefinition,
  type Strategy,
  createdAtColumn,
  defineResource,
  nameColumn,
} from '../../../registry/resource/resource-definition.js';
import { validateRbacMetadata } from '../../core/core-metadata.validation.js';
import { type ClusterRole, clusterRoleV1Schema, roleV1Schema } from './role.schema.js';

export const roleDefinition = definitionOf('Role', roleV1Schema, true);
export const clusterRoleDefinition = definitionOf('ClusterRole', clusterRoleV1Schema, false);

function definitionOf(kind: string, schema: StructType, namespaced: boolean): ResourceDefinition<ClusterRole> {
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] }];
  return defineResource<ClusterRole>({
    group: RBAC_GROUP,
    kind,
    namespaced,
    versions: [{ name: 'v1', schema, example: { metadata: { name: 'example' }, rules } }],
    strategy: roleStrategy(namespaced),
    columns: [nameColumn, createdAtColumn],
  });
}

/** The strategy of roles and cluster roles (kubernetes pkg/registry/rbac/role and clusterrole). */
function roleStrategy(namespaced: boolean): Strategy<ClusterRole> {
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

/** Drops an empty list of rules, as upstream's protobuf does; it is then shown as null. */
function dropEmptyRules(role: { rules?: readonly PolicyRule[] | null }): void {
  if (role.rules?.length === 0) delete role.rules;
}

type Rules = readonly PolicyRule[] | null | undefined;

/** Validates the rules in a role, except for `requireVerbs` (kubernetes pkg/apis/rbac/validation ValidatePolicyRule). */
function validatePolicyRules(rules: Rules, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => {
    const path = `rules[${at}]`;
    return isEmpty(rule.nonResourceURLs) ? validateResources(rule, path) : validatePaths(rule, namespaced, path);
  });
}

/** Upstream declares this rule, and declared rules come after all others (kubernetes pkg/apis/rbac/v1/zz_generated.validations.go). */
function requireVerbs(rules: Rules): FieldError[] {
  return (rules ?? []).flatMap(({ verbs }, at) => (isEmpty(verbs) ? [required(`rules[${at}].verbs`)] : []));
}

function validatePaths(rule: PolicyRule, namespaced: boolean, path: string): FieldError[] {
  const wrong = (detail: string): FieldError => invalid(`${path}.nonResourceURLs`, rule.nonResourceURLs, detail);
  const hasResources = !isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames);
  return [
    ...(namespaced ? [wrong('namespaced rules cannot apply to non-resource URLs')] : []),
    ...(hasResources ? [wrong('rules cannot apply to both regular resources and non-resource URLs')] : []),
  ];
}

function validateResources({ apiGroups, resources }: PolicyRule, path: string): FieldError[] {
  return [
    ...(isEmpty(apiGroups) ? [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')] : []),
    ...(isEmpty(resources) ? [required(`${path}.resources`, 'resource rules must supply at least one resource')] : []),
  ];
}

function isEmpty(list: readonly string[] | null | undefined): boolean {
  return !list || list.length === 0;
}

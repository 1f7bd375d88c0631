import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { PolicyRule } from '../../../auth/authorization/rbac.schema.js';

/** Drops an empty list of rules, as upstream's protobuf does; it is then shown as null. */
export function dropEmptyRules(role: { rules?: readonly PolicyRule[] | null }): void {
  if (role.rules?.length === 0) delete role.rules;
}

type Rules = readonly PolicyRule[] | null | undefined;

/** Validates the rules in a role, except for `requireVerbs` (kubernetes pkg/apis/rbac/validation ValidatePolicyRule). */
export function validatePolicyRules(rules: Rules, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => {
    const path = `rules[${at}]`;
    return isEmpty(rule.nonResourceURLs) ? validateResources(rule, path) : validatePaths(rule, namespaced, path);
  });
}

/** Upstream declares this rule, and declared rules come after all others (kubernetes pkg/apis/rbac/v1/zz_generated.validations.go). */
export function requireVerbs(rules: Rules): FieldError[] {
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

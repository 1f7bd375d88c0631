import type { FieldError } from '../../apimachinery/errors/field-error.js';
import { invalid, required } from '../../apimachinery/errors/field-error.js';
import type { PolicyRule } from '../../auth/authorization/rbac.schema.js';

/** Validates the rules in a role (kubernetes pkg/apis/rbac/validation ValidatePolicyRule). */
export function validatePolicyRules(rules: readonly PolicyRule[] | null | undefined, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => validatePolicyRule(rule, namespaced, `rules[${at}]`));
}

function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: string): FieldError[] {
  const noVerbs = isEmpty(rule.verbs) ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  return [...noVerbs, ...(isEmpty(rule.nonResourceURLs) ? validateResources(rule, path) : validatePaths(rule, namespaced, path))];
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

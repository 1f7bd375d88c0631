import type { AuthorizationAttributes } from './authorizer.js';
import type { PolicyRule } from './rbac.schema.js';

/** Whether a rule allows a request (kubernetes pkg/apis/rbac/v1/evaluation_helpers.go). */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!matches(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return matchesPath(rule.nonResourceURLs, attributes.path);
  return (
    matches(rule.apiGroups, attributes.apiGroup) &&
    matchesResource(rule.resources, attributes.resource, attributes.subresource) &&
    matchesName(rule.resourceNames, attributes.name)
  );
}

function matches(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.includes(value) || list?.includes('*') || false;
}

/** `*` matches every resource and subresource, `RESOURCE/SUB` one, and `*` before a slash that subresource of any resource. */
function matchesResource(list: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (list === undefined) return false;
  if (subresource === '') return list.includes(resource) || list.includes('*');
  return list.includes('*') || list.includes(`${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}

/** A request without a name (a create, most lists) does not match rules with resourceNames. */
function matchesName(list: readonly string[] | undefined, name: string): boolean {
  return list === undefined || list.length === 0 || list.includes(name);
}

function matchesPath(list: readonly string[] | undefined, path: string): boolean {
  return list !== undefined && list.some((pattern) => pathCovers(pattern, path));
}

/** Whether a rule's path covers a path: equal, or a prefix that ends in `*`. */
export function pathCovers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

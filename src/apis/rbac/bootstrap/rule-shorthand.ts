import type { PolicyRule } from '../../../auth/authorization/rbac.schema.js';

export const READ: readonly string[] = ['get', 'list', 'watch'];
export const WRITE: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update'];
export const READ_WRITE: readonly string[] = [...READ, ...WRITE];

/** A rule as upstream's builder stores it, with every list sorted. */
export function resourceRule(
  verbs: readonly string[],
  groups: readonly string[],
  resources: readonly string[],
  names: readonly string[] = [],
): PolicyRule {
  return {
    verbs: [...verbs].sort(),
    apiGroups: [...groups].sort(),
    resources: [...resources].sort(),
    ...(names.length > 0 ? { resourceNames: [...names].sort() } : {}),
  };
}

export function pathRule(verbs: readonly string[], paths: readonly string[]): PolicyRule {
  return { verbs: [...verbs].sort(), nonResourceURLs: [...paths].sort() };
}

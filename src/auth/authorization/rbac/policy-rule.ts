/** One set of rights, as rbac.authorization.k8s.io/v1 writes it. Absent lists are empty. */
export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

/** Whether a path is that of a rule, or begins like one that ends in stars. */
export function pathCovers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

/**
 * How a group and version appear in operation ids and tags: `CoordinationV1` and `coordination_v1`, `RbacAuthorizationV1` and
 * `rbacAuthorization_v1`, `CoreV1` and `core_v1` (kube-openapi's GetOperationIDAndTags). The version may be empty.
 */
export function operationGroup(group: string, version: string): { idPart: string; tag: string } {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  const camel = words.map((word, at) => (at === 0 ? word : capital(word))).join('');
  return { idPart: capital(camel) + capital(version), tag: version === '' ? camel : `${camel}_${version}` };
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

import { PrivilegedGroupAuthorizer } from '../../src/auth/authorization/authorizer.js';
import { type RoleBindingLike, PolicyIndex } from '../../src/auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../src/auth/authorization/rbac/rbac-authorizer.js';
import type { PolicyRule } from '../../src/auth/authorization/rbac.schema.js';
import { UnionAuthorizer } from '../../src/auth/authorization/request-authorizer.js';
import { ask } from './http-client.js';

const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;

interface Policy {
  readonly roles: readonly { readonly namespace: string; readonly name: string; readonly rules: readonly PolicyRule[] }[];
  readonly bindings: readonly RoleBindingLike[];
}

/** Allows what the policy says, and everything to system:masters. */
export function authorizerOf({ roles, bindings }: Policy): UnionAuthorizer {
  const index = new PolicyIndex();
  for (const { namespace, name, rules } of roles) index.setRole(namespace, name, rules);
  for (const binding of bindings) index.setBinding(binding);
  return new UnionAuthorizer([new PrivilegedGroupAuthorizer(), new RbacAuthorizer(index)]);
}

/** Allows users what their rules say, in all namespaces, and everything to system:masters. */
export function allowing(rights: Readonly<Record<string, readonly PolicyRule[]>>): UnionAuthorizer {
  const everywhere = { namespace: '' };
  return authorizerOf({
    roles: Object.entries(rights).map(([name, rules]) => ({ ...everywhere, name, rules })),
    bindings: Object.keys(rights).map((name) => ({ ...everywhere, name, ...boundTo(name, 'ClusterRole', name) })),
  });
}

/** Gives a user rights at a server, in a namespace or in all: these, or those of a ClusterRole. */
export async function grant(url: string, user: string, rights: readonly PolicyRule[] | string, namespace?: string): Promise<void> {
  const [path, kind] = namespace === undefined ? [`${RBAC}/cluster`, 'ClusterRole'] : [`${RBAC}/namespaces/${namespace}/`, 'Role'];
  const create = async (resource: string, body: object) => {
    const { status, text } = await ask(`${url}${path}${resource}`, { method: 'POST', body });
    if (status !== 201) throw new Error(`no right for ${user}: ${status} ${text}`);
  };
  const metadata = { name: user };
  if (typeof rights === 'string') return create('rolebindings', { metadata, ...boundTo(user, 'ClusterRole', rights) });
  await create('roles', { metadata, rules: rights });
  await create('rolebindings', { metadata, ...boundTo(user, kind, user) });
}

const boundTo = (user: string, kind: string, name: string) => ({
  roleRef: { apiGroup: GROUP, kind, name },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
});

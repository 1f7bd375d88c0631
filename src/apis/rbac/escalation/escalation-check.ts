import { quote } from '../../../apimachinery/errors/field-error.js';
import { qualifiedResource } from '../../../apimachinery/schema/group-resource.js';
import { SYSTEM_MASTERS } from '../../../auth/authentication/well-known-users.js';
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.js';
import type { PolicyRule } from '../../../auth/authorization/rbac/policy-rule.js';
import type { RbacAuthorizer } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { describeRights, goList, missingRights } from '../../../auth/authorization/rbac/rule-coverage.js';
import type { UserInfo } from '../../../registry/request-context.js';

/** What the guards of roles and bindings ask. */
export interface EscalationOptions {
  /** Whether somebody may use the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  /** Whose rights come from which rules. */
  readonly rbac: RbacAuthorizer;
}

/** Who grants rights, where, through which resource. */
export interface Grantor {
  readonly user: UserInfo;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly resource: string;
}

/** Members of system:masters may grant anything. */
export function mayGrantAnything(user: UserInfo): boolean {
  return user.groups.includes(SYSTEM_MASTERS);
}

/** Whether the grantor may use a verb such as `escalate` on a role. */
export async function mayUse(
  { authorizer }: EscalationOptions,
  { user, namespace }: Grantor,
  what: Pick<AuthorizationAttributes, 'verb' | 'resource' | 'name'>,
): Promise<boolean> {
  const attributes = { isResourceRequest: true, apiGroup: RBAC_GROUP, apiVersion: '*', namespace, subresource: '', path: '', ...what };
  return (await authorizer.authorize(user, attributes)).allowed;
}

/** Why somebody may not grant these rules: nobody gives away what he does not have. Undefined where nothing is missing. */
export function escalation({ rbac }: EscalationOptions, grantor: Grantor, rules: readonly PolicyRule[]): string | undefined {
  const { user, namespace, resource } = grantor;
  const held = rbac.heldRules(user, namespace);
  const missing = missingRights(held.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${quote(user.name)} (groups=${goList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${describeRights(missing).join('\n')}`;
  if (held.missing.length === 0) return text;
  // Upstream names the resource of the request, not that of the role that is missing.
  const problems = new Set(
    held.missing.map(({ roleRef }) => `${qualifiedResource({ group: RBAC_GROUP, resource })} ${quote(roleRef.name)} not found`),
  );
  const list = [...problems].join(', ');
  return `${text}; resolution errors: [${problems.size === 1 ? list : `[${list}]`}]`;
}

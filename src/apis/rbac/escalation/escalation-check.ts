import { compileEncoder } from '../../../apimachinery/codec/json/json-encoder.js';
import { quote, shown } from '../../../apimachinery/go/go-string.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { qualifiedResource } from '../../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { SYSTEM_MASTERS } from '../../../auth/authentication/authenticator.js';
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.js';
import type { PolicyRule } from '../../../auth/authorization/rbac.schema.js';
import { type RbacAuthorizer, RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { describeRights, goList, MAX_COMPARISONS, missingRights } from '../../../auth/authorization/rbac/rule-coverage.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';

/** Limits on what a message shows of the rights that are missing. */
const SHOWN_RIGHTS = 5000;
const SHOWN_CHARACTERS = 64 * 1024;

/** The dependencies of the write policies of roles and bindings. */
export interface EscalationOptions {
  /** Decides on the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  /** Resolves the rules of a user. */
  readonly rbac: RbacAuthorizer;
}

/** The user who grants rights, and the namespace and resource of the grant. */
export interface Grantor {
  readonly user: UserInfo;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly resource: string;
}

/** Members of system:masters may grant any right. */
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

/** The reason why the grantor may not grant these rules: users can grant only rights that they have. Undefined if none are missing. */
export function escalation({ rbac }: EscalationOptions, grantor: Grantor, rules: readonly PolicyRule[]): string | undefined {
  const { user, namespace, resource } = grantor;
  const held = rbac.heldRules(user, namespace);
  const missing = missingRights(held.rules, rules, MAX_COMPARISONS);
  if (missing?.length === 0) return undefined;
  const who = `user ${quote(user.name)} (groups=${goList(user.groups)})`;
  if (!missing) return `${who} is attempting to grant more RBAC permissions than can be compared with those held`;
  const rights = describeRights(missing.slice(0, SHOWN_RIGHTS)).join('\n');
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${shown(rights, SHOWN_CHARACTERS)}`;
  if (held.missing.length === 0) return text;
  // Upstream names the resource of the request, not that of the missing role.
  const problems = new Set(
    held.missing.map(({ roleRef }) => `${qualifiedResource({ group: RBAC_GROUP, resource })} ${quote(roleRef.name)} not found`),
  );
  const list = [...problems].join(', ');
  return `${text}; resolution errors: [${problems.size === 1 ? list : `[${list}]`}]`;
}

/**
 * Whether an update changes only what the garbage collector changes, owners and finalizers, which needs no rights beyond the verb
 * (kubernetes pkg/registry/rbac/helpers.go).
 */
export function changesOnlyCollectorFields(schema: StructType, next: KubeObject, live: KubeObject | undefined): boolean {
  if (live === undefined) return false;
  const encode = compileEncoder(schema);
  return encode(withoutCollectorFields(next)) === encode(withoutCollectorFields(live));
}

function withoutCollectorFields({ kind: _kind, apiVersion: _version, ...object }: KubeObject): KubeObject {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, selfLink: _link, ...metadata } = object.metadata;
  return { ...object, metadata };
}

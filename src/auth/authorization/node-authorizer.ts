import type { UserInfo } from '../../registry/resource/request-context.js';
import { NODES, NODE_USER } from '../authentication/authenticator.js';
import { type AuthorizationAttributes, type Decision, type NamedAuthorizer, ALLOWED, NO_OPINION } from './authorizer.js';
import type { PolicyRule } from './rbac.schema.js';

const NODE_LEASES = 'kube-node-lease';
const LEASE_VERBS: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];

/** Rights of every node besides its lease, as far as this server serves them (bootstrappolicy NodeRules). */
const NODE_RULES: readonly PolicyRule[] = [
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
  { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews', 'localsubjectaccessreviews'] },
  { verbs: ['create', 'update', 'patch'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
];

/**
 * Allows a node (user `system:node:NAME` in group system:nodes) the lease of its name in kube-node-lease and no other (kubernetes
 * plugin/pkg/auth/authorizer/node). A create has no name yet; NodeLeaseWritePolicy checks that. Leases have no subresources upstream; those of this
 * server, whose creates do have a name, are not for nodes.
 */
export class NodeAuthorizer implements NamedAuthorizer {
  readonly name = 'node';
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision {
    const node = nodeOf(user);
    if (node === undefined) return NO_OPINION;
    if (node === '') return { allowed: false, reason: `unknown node for user "${user.name}"` };
    if (attributes.isResourceRequest && attributes.apiGroup === 'coordination.k8s.io' && attributes.resource === 'leases') {
      return authorizeLease(node, attributes);
    }
    return NODE_RULES.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : NO_OPINION;
  }
}

/** The node name of a user; undefined for users that are not nodes. */
export function nodeOf(user: UserInfo): string | undefined {
  if (!user.name.startsWith(NODE_USER) || !user.groups.includes(NODES)) return undefined;
  return user.name.slice(NODE_USER.length);
}

function authorizeLease(node: string, { verb, namespace, name, subresource }: AuthorizationAttributes): Decision {
  if (subresource !== '') return refuse('cannot authorize subresources of leases');
  if (!LEASE_VERBS.includes(verb)) return refuse('can only get, create, update, patch, or delete a node lease');
  if (namespace !== NODE_LEASES) return refuse(`can only access leases in the "${NODE_LEASES}" system namespace`);
  if (verb !== 'create' && name !== node) return refuse('can only access node lease with the same name as the requesting node');
  return ALLOWED;
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}

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

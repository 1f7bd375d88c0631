import { NODE_USER } from '../authentication/special-users.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { NODES } from '../authentication/well-known-users.js';
import { type AuthorizationAttributes, type NamedAuthorizer, type Decision, ALLOWED, NO_OPINION } from './authorizer.js';
import type { PolicyRule } from './rbac.schema.js';
import { ruleAllows } from './rule-allows.js';

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

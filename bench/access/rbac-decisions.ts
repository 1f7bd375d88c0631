import type { AuthorizationAttributes } from '../../src/auth/authorization/authorizer.js';
import { PolicyIndex } from '../../src/auth/authorization/rbac/policy-index.js';
import type { PolicyRule } from '../../src/auth/authorization/rbac.schema.js';
import { RbacAuthorizer } from '../../src/auth/authorization/rbac/rbac-authorizer.js';
import type { UserInfo } from '../../src/registry/resource/request-context.js';

const BINDINGS = 5000;
const OWN = 50;
const RULES = 5;
const ROUNDS = 200_000;
const WARM_UP = 20_000;

const GROUP = 'rbac.authorization.k8s.io';
const user: UserInfo = { name: 'ann', uid: '', groups: ['g0', 'g1', 'g2', 'system:authenticated'], extra: {} };

function rulesOf(role: number): PolicyRule[] {
  return Array.from({ length: RULES }, (_, at) => ({
    verbs: ['get', 'list', 'watch'],
    apiGroups: ['', 'apps', 'batch'],
    resources: [`things${role}`, `others${at}`, `things${role}/status`],
  }));
}

/** 5,000 bindings, of which 50 name the user or one of the user's groups; the last of those allows renewing leases. */
function policy(): PolicyIndex {
  const index = new PolicyIndex();
  for (let at = 0; at < BINDINGS; at += 1) {
    const own = at % (BINDINGS / OWN) === 0;
    const inNamespace = at % 2 === 0 ? 'ns' : '';
    const subject =
      own && at % 3 === 0 ? { kind: 'Group', name: `g${at % 9 === 0 ? 1 : 2}` } : { kind: 'User', name: own ? 'ann' : `user${at}` };
    index.setRole('', `role${at}`, rulesOf(at));
    index.setBinding({
      namespace: inNamespace,
      name: `binding${at}`,
      subjects: [subject, { kind: 'ServiceAccount', name: `account${at}`, namespace: 'other' }],
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: `role${at}` },
    });
  }
  const lease: PolicyRule = { verbs: ['update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  index.setRole('', 'renewer', [lease]);
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'renewer' };
  index.setBinding({ namespace: 'ns', name: 'zz', subjects: [{ kind: 'Group', name: 'system:authenticated' }], roleRef });
  return index;
}

function asks(verb: string): AuthorizationAttributes {
  const rest = { isResourceRequest: true, apiVersion: 'v1', subresource: '', path: '' };
  return { ...rest, verb, apiGroup: 'coordination.k8s.io', namespace: 'ns', resource: 'leases', name: 'x' };
}

/** Microseconds for one decision. */
function measure(authorizer: RbacAuthorizer, attributes: AuthorizationAttributes, allowed: boolean, known = true): number {
  let right = 0;
  const run = (rounds: number): void => {
    for (let at = 0; at < rounds; at += 1) if (authorizer.authorize(known ? user : { ...user }, attributes).allowed === allowed) right += 1;
  };
  run(WARM_UP);
  const started = process.cpuUsage();
  run(ROUNDS);
  const { user: used, system } = process.cpuUsage(started);
  if (right !== ROUNDS + WARM_UP) throw new Error('a decision is wrong');
  return (used + system) / ROUNDS;
}

/** The time of an RBAC decision for a user with 50 bindings among 5,000. */
export function measureRbacDecisions(): Record<string, string> {
  const authorizer = new RbacAuthorizer(policy());
  return {
    'allowed by the last binding': `${measure(authorizer, asks('update'), true, false).toFixed(2)} µs`,
    'the same again': `${measure(authorizer, asks('update'), true).toFixed(2)} µs`,
    'refused by all': `${measure(authorizer, asks('delete'), false).toFixed(2)} µs`,
  };
}

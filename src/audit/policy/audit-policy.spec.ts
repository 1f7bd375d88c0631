import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import { PolicyEvaluator } from './audit-policy.js';
import { defaultPolicy, readPolicy } from './read-policy.js';

const ann = { name: 'ann', uid: '', groups: ['dev', 'system:authenticated'], extra: {} };

function asks(change: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return {
    isResourceRequest: true,
    verb: 'get',
    apiGroup: 'coordination.k8s.io',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'leases',
    subresource: '',
    name: 'x',
    path: '',
    ...change,
  };
}

/** The audit level of a request under a policy with a single rule at level Request. */
function level(rule: object, attributes: AuthorizationAttributes, user: typeof ann | null = ann): string {
  const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Request', ...rule }] });
  return new PolicyEvaluator(readPolicy(text).policy).evaluate(user ?? undefined, attributes).level;
}

const path = (text: string) => asks({ isResourceRequest: false, path: text, apiGroup: '', resource: '', name: '', namespace: '' });

describe('a rule', () => {
  it.each([
    [{}, asks()],
    [{ users: ['ann'] }, asks()],
    [{ userGroups: ['ops', 'dev'] }, asks()],
    [{ verbs: ['get'] }, asks()],
    [{ namespaces: ['ns'] }, asks()],
    [{ namespaces: [''] }, asks({ namespace: '' })],
    [{ resources: [{ group: 'coordination.k8s.io' }] }, asks()],
    [{ resources: [{ group: '*', resources: ['leases'] }] }, asks()],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['*'] }] }, asks({ subresource: 'status' })],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases/status'] }] }, asks({ subresource: 'status' })],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases/*'] }] }, asks({ subresource: 'status' })],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases/*'] }] }, asks()],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['*/status'] }] }, asks({ subresource: 'status' })],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases'], resourceNames: ['x'] }] }, asks()],
    [{ nonResourceURLs: ['/healthz*'] }, path('/healthz/ping')],
    [{ nonResourceURLs: ['/version'] }, path('/version')],
    [{ nonResourceURLs: ['*'] }, path('/any')],
    [{ verbs: ['get'] }, path('/any')],
  ])('%j matches %j', (rule, attributes) => {
    expect(level(rule, attributes)).toBe('Request');
  });

  it.each([
    [{ users: ['Ann'] }, asks()],
    [{ userGroups: ['ops'] }, asks()],
    [{ verbs: ['list'] }, asks()],
    [{ namespaces: ['other'] }, asks()],
    [{ namespaces: [''] }, asks()],
    [{ namespaces: [''] }, path('/any')],
    [{ resources: [{ group: '' }] }, asks()],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] }, asks({ subresource: 'status' })],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['*/status'] }] }, asks()],
    [{ resources: [{ group: 'coordination.k8s.io', resources: ['leases'], resourceNames: ['y'] }] }, asks()],
    [{ nonResourceURLs: ['*'] }, asks()],
    [{ nonResourceURLs: ['/healthz'] }, path('/healthz/ping')],
  ])('%j does not match %j', (rule, attributes) => {
    expect(level(rule, attributes)).toBe('None');
  });

  it('for users or groups does not match a request without a user', () => {
    expect(level({ users: ['ann'] }, asks(), null)).toBe('None');
    expect(level({ userGroups: ['system:unauthenticated'] }, asks(), null)).toBe('None');
    expect(level({}, asks(), null)).toBe('Request');
  });

  it.each([
    { apiGroup: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' },
    { apiGroup: '', resource: 'serviceaccounts', subresource: 'token', verb: 'create' },
  ])('never records bodies of %j', (change) => {
    expect(level({ level: 'RequestResponse' }, asks(change))).toBe('Metadata');
  });
});

describe('a policy', () => {
  it('applies its first matching rule, with the stages omitted by the rule and the policy', () => {
    const { policy } = readPolicy(`
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - {level: None, verbs: [list]}
  - {level: RequestResponse, users: [ann], omitStages: [Panic], omitManagedFields: false}
  - {level: Metadata}
`);
    const evaluator = new PolicyEvaluator(policy);
    expect(evaluator.evaluate(ann, asks({ verb: 'list' })).level).toBe('None');
    expect(evaluator.evaluate(ann, asks())).toEqual({
      level: 'RequestResponse',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    expect(evaluator.evaluate(undefined, asks())).toMatchObject({ level: 'Metadata', omitManagedFields: true });
  });
});

describe('the default policy', () => {
  const evaluator = new PolicyEvaluator(defaultPolicy());
  const levelOf = (change: Partial<AuthorizationAttributes>) => evaluator.evaluate(ann, asks(change)).level;

  it('omits renewals, but records the creation and deletion of leases', () => {
    for (const verb of ['get', 'update', 'patch']) expect(levelOf({ verb })).toBe('None');
    for (const verb of ['create', 'delete', 'deletecollection', 'list', 'watch']) expect(levelOf({ verb })).toBe('Metadata');
  });

  it('records changes of rights with their content', () => {
    expect(levelOf({ apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', verb: 'create' })).toBe('RequestResponse');
  });

  it('records refused requests whatever its rules say', () => {
    expect(evaluator.recordsRefusals).toBe(true);
    expect(evaluator.refused().level).toBe('Metadata');
  });
});

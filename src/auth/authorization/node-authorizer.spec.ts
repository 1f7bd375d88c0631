import type { AuthorizationAttributes } from './authorizer.js';
import { NodeAuthorizer } from './node-authorizer.js';

const node = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const lease: AuthorizationAttributes = {
  isResourceRequest: true,
  verb: 'update',
  apiGroup: 'coordination.k8s.io',
  apiVersion: 'v1',
  namespace: 'kube-node-lease',
  resource: 'leases',
  subresource: '',
  name: 'n1',
  path: '',
};

describe('NodeAuthorizer', () => {
  const decide = (change: Partial<AuthorizationAttributes>, user = node) => new NodeAuthorizer().authorize(user, { ...lease, ...change });

  it.each(['get', 'create', 'update', 'patch', 'delete'])('lets a node %s its lease', (verb) => {
    expect(decide({ verb, name: verb === 'create' ? '' : 'n1' }).allowed).toBe(true);
  });

  it.each([
    [{ verb: 'list' }, 'can only get, create, update, patch, or delete a node lease'],
    [{ namespace: 'default' }, 'can only access leases in the "kube-node-lease" system namespace'],
    [{ name: 'n2' }, 'can only access node lease with the same name as the requesting node'],
  ])('has no opinion on %j, and gives a reason', (change, reason) => {
    expect(decide(change)).toEqual({ allowed: false, reason });
  });

  it('has no opinion on other users, whatever their names', () => {
    expect(decide({}, { ...node, groups: [] })).toEqual({ allowed: false });
    expect(decide({}, { ...node, name: 'n1' })).toEqual({ allowed: false });
  });

  it('lets nodes create TokenReviews, and nothing else', () => {
    expect(decide({ verb: 'create', apiGroup: 'authentication.k8s.io', resource: 'tokenreviews' }).allowed).toBe(true);
    expect(decide({ verb: 'get', apiGroup: '', resource: 'namespaces' }).allowed).toBe(false);
  });
});

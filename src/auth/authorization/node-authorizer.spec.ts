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

const SUBRESOURCES = {
  leases: ['lock', 'state', 'status', 'other'],
  serviceaccounts: ['token'],
  namespaces: ['status', 'finalize'],
  events: ['status'],
  tokenreviews: ['status'],
  subjectaccessreviews: ['status'],
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
    [{ verb: 'create', name: 'n2', subresource: 'state' }, 'cannot authorize subresources of leases'],
  ])('has no opinion on %j, and gives a reason', (change, reason) => {
    expect(decide(change)).toEqual({ allowed: false, reason });
  });

  it('allows no verb on a subresource, whatever its name', () => {
    for (const verb of ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', '*']) {
      for (const [resource, subresources] of Object.entries(SUBRESOURCES)) {
        for (const subresource of subresources) {
          for (const apiGroup of ['', 'coordination.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io', 'events.k8s.io']) {
            for (const name of ['', 'n1', 'n2']) expect(decide({ verb, apiGroup, resource, subresource, name }).allowed).toBe(false);
          }
        }
      }
    }
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

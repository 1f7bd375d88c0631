import type { BindingObject } from '../../../auth/authorization/rbac.schema.js';
import type { ClusterRole } from '../role/role.schema.js';
import { bootstrapMetadata } from './bootstrap-metadata.js';
import { reconciledBinding, reconciledRole } from './reconciled-object.js';

const get = { verbs: ['get'], apiGroups: [''], resources: ['a'] };
const list = { verbs: ['list'], apiGroups: [''], resources: ['a'] };
const role = (rules: ClusterRole['rules'], autoUpdate = 'true'): ClusterRole => {
  const metadata = bootstrapMetadata('r');
  return { metadata: { ...metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': autoUpdate } }, rules };
};
const binding = (roleName: string, ...users: string[]): BindingObject => ({
  metadata: bootstrapMetadata('b'),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
  ...(users.length > 0 ? { subjects: users.map((name) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })) } : {}),
});

describe('reconciledRole', () => {
  it('adds what is missing and keeps additions', () => {
    expect(reconciledRole(role([list]), role([get]))).toEqual({ action: 'update', object: role([list, get]) });
  });

  it('leaves a role alone if it is complete or excluded from updates', () => {
    expect(reconciledRole(role([get, list]), role([get]))).toEqual({ action: 'none' });
    expect(reconciledRole(role([], 'false'), role([get]))).toEqual({ action: 'none' });
  });

  it('removes the aggregation from a role that should have none', () => {
    const gathering = { ...role([get]), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    expect(reconciledRole(gathering, role([get]))).toEqual({ action: 'update', object: role([get]) });
  });
});

describe('reconciledBinding', () => {
  it('adds missing subjects to the existing ones', () => {
    expect(reconciledBinding(binding('r', 'ann'), binding('r', 'ben'))).toEqual({ action: 'update', object: binding('r', 'ann', 'ben') });
    expect(reconciledBinding(binding('r', 'ann', 'ben'), binding('r', 'ben'))).toEqual({ action: 'none' });
  });

  it('recreates a binding of another role', () => {
    expect(reconciledBinding(binding('other', 'ann'), binding('r', 'ann'))).toEqual({ action: 'recreate' });
  });
});

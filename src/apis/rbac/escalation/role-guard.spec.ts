import { describe, expect, it } from '@jest/globals';
import { PolicyIndex } from '../../../auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { systemContext } from '../../../registry/system-context.js';
import { roleDefinition, roleV1 } from '../role/role.resource.js';
import { RoleGuard } from './role-guard.js';

describe('an update of a role by somebody without the rights in it', () => {
  const rbac = new RbacAuthorizer(new PolicyIndex());
  const guard = new RoleGuard(roleDefinition, { authorizer: rbac, rbac });
  const user = { name: 'editor', uid: '', groups: [], extra: {} };
  const live = { metadata: { name: 'r', namespace: 'ns', uid: 'u' }, rules: [{ apiGroups: ['x'], resources: ['y'], verbs: ['get'] }] };
  const check = (repeatsIdentity: boolean) =>
    guard.check({
      context: { ...systemContext('test'), user },
      target: { version: roleV1, namespace: 'ns', name: 'r' },
      object: { ...live, metadata: { ...live.metadata, finalizers: ['example.com/x'] } },
      live,
      repeatsIdentity,
    });

  it('is allowed where it changes finalizers alone, and says which role it means', async () => {
    await expect(check(true)).resolves.toBeUndefined();
  });

  it('is refused where the server has to fill in what is the same', async () => {
    await expect(check(false)).rejects.toMatchObject({ status: { code: 403 } });
  });
});

import { describe, expect, it } from '@jest/globals';
import { PolicyIndex } from '../../../auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { systemContext } from '../../../registry/resource/request-context.js';
import { roleDefinition } from '../role/role.resource.js';
import { RoleWritePolicy } from './escalation-check.js';

describe("an update of a role by a user without the role's rights", () => {
  const rbac = new RbacAuthorizer(new PolicyIndex());
  const policy = new RoleWritePolicy(roleDefinition, { authorizer: rbac, rbac });
  const user = { name: 'editor', uid: '', groups: [], extra: {} };
  const live = { metadata: { name: 'r', namespace: 'ns', uid: 'u' }, rules: [{ apiGroups: ['x'], resources: ['y'], verbs: ['get'] }] };
  const check = (repeatsIdentity: boolean) =>
    policy.check({
      context: { ...systemContext('test'), user },
      target: { version: roleDefinition.storageVersion, namespace: 'ns', name: 'r' },
      object: { ...live, metadata: { ...live.metadata, finalizers: ['example.com/x'] } },
      live,
      repeatsIdentity,
    });

  it("is allowed if it changes only finalizers and repeats the role's identity", async () => {
    await expect(check(true)).resolves.toBeUndefined();
  });

  it('is refused if the server has to fill in the identity', async () => {
    await expect(check(false)).rejects.toMatchObject({ status: { code: 403 } });
  });
});

import type { UserInfo } from '../../registry/resource/request-context.js';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.js';
import { Impersonator } from './impersonator.js';

const REQUEST: AuthorizationAttributes = {
  isResourceRequest: true,
  verb: 'get',
  apiGroup: 'coordination.k8s.io',
  apiVersion: 'v1',
  namespace: 'ns',
  resource: 'leases',
  subresource: '',
  name: 'x',
  path: '',
};
const bob: UserInfo = { name: 'bob', uid: '', groups: ['system:authenticated'], extra: {} };
const wanted = (name: string, more: Partial<UserInfo> = {}): UserInfo => ({ name, uid: '', groups: [], extra: {}, ...more });

/** Allows the rights listed as `verb group/resource[/subresource] name`. */
function allowing(...rights: string[]): Authorizer & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize: (_user, { verb, apiGroup, resource, subresource, name }) => {
      const question = `${verb} ${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`} ${name}`;
      asked.push(question);
      return { allowed: rights.includes(question) };
    },
  };
}

describe('Impersonator', () => {
  it('adds system:authenticated to a user impersonated in legacy mode', async () => {
    const impersonator = new Impersonator(allowing('impersonate /users ann'));
    expect(await impersonator.impersonate(bob, wanted('ann'), REQUEST)).toMatchObject({
      user: { name: 'ann', groups: ['system:authenticated'] },
      constraint: '',
    });
  });

  it('checks the request first, and then each part of the user', async () => {
    const authorizer = allowing(
      'impersonate-on:user-info:get coordination.k8s.io/leases x',
      'impersonate:user-info authentication.k8s.io/users ann',
      'impersonate:user-info authentication.k8s.io/groups dev',
      'impersonate:user-info authentication.k8s.io/userextras/example.com/a 1',
    );
    const user = wanted('ann', { groups: ['dev'], extra: { 'example.com/a': ['1'] } });
    expect(await new Impersonator(authorizer).impersonate(bob, user, REQUEST)).toMatchObject({
      user: { groups: ['dev', 'system:authenticated'] },
      constraint: 'impersonate:user-info',
    });
    expect(authorizer.asked).toHaveLength(4);
  });

  it('throws the first refusal if all modes refuse', async () => {
    await expect(new Impersonator(allowing()).impersonate(bob, wanted('system:node:n1'), REQUEST)).rejects.toThrow(
      'leases.coordination.k8s.io "x" is forbidden: User "bob" cannot impersonate-on:arbitrary-node:get resource "leases"',
    );
  });

  it('starts with the mode that last succeeded for the same requestor', async () => {
    const authorizer = allowing('impersonate /users ann');
    const impersonator = new Impersonator(authorizer);
    await impersonator.impersonate(bob, wanted('ann'), REQUEST);
    await expect(impersonator.impersonate(bob, wanted('zoe'), REQUEST)).rejects.toThrow('users "zoe" is forbidden');
    await expect(impersonator.impersonate({ ...bob, name: 'eve' }, wanted('zoe'), REQUEST)).rejects.toThrow('impersonate-on:user-info');
  });

  it('never grants system:masters in a constrained mode', async () => {
    const everything: Authorizer = { authorize: (_user, { verb }) => ({ allowed: verb !== 'impersonate' }) };
    const user = wanted('ann', { groups: ['system:masters'] });
    await expect(new Impersonator(everything).impersonate(bob, user, REQUEST)).rejects.toThrow(
      'impersonating the system:masters group is not allowed',
    );
  });

  it('lets a service account act as the node that it runs on without naming it', async () => {
    const authorizer = allowing(
      'impersonate-on:associated-node:get coordination.k8s.io/leases x',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    );
    const agent = { ...bob, name: 'system:serviceaccount:ns:agent', extra: { 'authentication.kubernetes.io/node-name': ['n1'] } };
    const impersonator = new Impersonator(authorizer);
    expect(await impersonator.impersonate(agent, wanted('system:node:n1'), REQUEST)).toMatchObject({
      user: { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
    });
    await expect(impersonator.impersonate(agent, wanted('system:node:n2'), REQUEST)).rejects.toThrow('arbitrary-node');
  });

  it('leaves the anonymous user out of system:authenticated', async () => {
    const impersonator = new Impersonator(allowing('impersonate /users system:anonymous'));
    expect((await impersonator.impersonate(bob, wanted('system:anonymous'), REQUEST)).user.groups).toEqual(['system:unauthenticated']);
  });
});

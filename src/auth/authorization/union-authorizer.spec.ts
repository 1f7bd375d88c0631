import { type Decision, type NamedAuthorizer, AuthorizationError } from './authorizer.js';
import { UnionAuthorizer } from './union-authorizer.js';

const user = { name: 'ann', uid: '', groups: [], extra: {} };
const says = (decision: Decision | Promise<Decision>, name = 'x'): NamedAuthorizer => ({ name, authorize: () => decision });
const ask = (...authorizers: NamedAuthorizer[]) => new UnionAuthorizer(authorizers).authorize(user, {} as never);

describe('UnionAuthorizer', () => {
  it('returns the first decision that allows or denies', () => {
    expect(ask(says({ allowed: false }), says({ allowed: true, reason: 'second' }))).toEqual({ allowed: true, reason: 'second' });
    expect(ask(says({ allowed: false, denied: true, reason: 'no' }), says({ allowed: true }))).toMatchObject({ allowed: false });
  });

  it('refuses what no authorizer allows, with all reasons and whose they are', () => {
    expect(ask(says({ allowed: false, reason: 'a' }), says({ allowed: false }), says({ allowed: false, reason: 'b' }, 'y'))).toEqual({
      allowed: false,
      reason: 'x: a\ny: b',
    });
    expect(ask(says({ allowed: false, reason: 'a' }), says({ allowed: false, denied: true, reason: 'b' }))).toMatchObject({ reason: 'b' });
    expect(ask()).toEqual({ allowed: false });
  });

  it('denies with an error when every authorizer abstains and at least one failed', () => {
    const broken = says({ allowed: false, error: new AuthorizationError('down') });
    expect(ask(broken, says({ allowed: true }))).toEqual({ allowed: true });
    expect(ask(broken, says({ allowed: false, reason: 'a' }))).toEqual({
      allowed: false,
      reason: 'x: a',
      error: new AuthorizationError('down'),
    });
    expect(ask(broken, says({ allowed: false, error: new AuthorizationError('lost') }), broken)).toMatchObject({
      error: new AuthorizationError('[down, lost]'),
    });
  });

  it('waits only for authorizers that need time', async () => {
    expect(await ask(says(Promise.resolve({ allowed: false, reason: 'a' })), says({ allowed: true }))).toEqual({ allowed: true });
    expect(ask(says({ allowed: true }))).not.toBeInstanceOf(Promise);
  });
});

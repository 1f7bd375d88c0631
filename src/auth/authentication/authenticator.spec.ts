import { type AuthenticationRequest, UnionAuthenticator } from './authenticator.js';
import { BearerAuthenticator } from './bearer-authenticator.js';
import { StaticTokens } from './static-tokens.js';

const alice = { name: 'alice', uid: 'u1', groups: ['dev'], extra: {} };
const tokens = new BearerAuthenticator(new StaticTokens([{ token: 'secret', user: alice }], ['here']), ['here']);
const union = (anonymous: boolean, anonymousPaths?: ReadonlySet<string>) =>
  new UnionAuthenticator({ authenticators: [tokens], anonymous, anonymousPaths });

function request(authorization?: string, path = '/'): AuthenticationRequest & { warnings: string[] } {
  const warnings: string[] = [];
  const headers = authorization === undefined ? {} : { authorization };
  const notes = { warn: (text: string) => void warnings.push(text), cameThroughProxy: () => undefined };
  return { headers, rawHeaders: [], connection: undefined, url: { path }, ...notes, warnings };
}

describe('UnionAuthenticator with tokens', () => {
  it('authenticates the owner of a token', async () => {
    const user = await union(false).authenticate(request('Bearer secret'));
    expect(user).toMatchObject({ name: 'alice', groups: ['dev', 'system:authenticated'] });
  });

  it('accepts the scheme in any case', () => {
    expect(union(false).authenticate(request('bEARER secret'))).toMatchObject({ name: 'alice' });
  });

  it('never treats a bad token as anonymous', () => {
    expect(() => union(true).authenticate(request('Bearer wrong'))).toThrow('Unauthorized');
  });

  it('refuses requests without a token unless anonymous requests are allowed', () => {
    expect(() => union(false).authenticate(request())).toThrow('Unauthorized');
    expect(union(true).authenticate(request())).toMatchObject({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  });

  it('restricts anonymous requests to exactly the configured paths', () => {
    const healthOnly = union(true, new Set(['/livez', '/readyz']));
    expect(healthOnly.authenticate(request(undefined, '/readyz'))).toMatchObject({ name: 'system:anonymous' });
    for (const path of ['/', '/readyz/', '/readyz/ping', '/READYZ', '/apis']) {
      expect(() => healthOnly.authenticate(request(undefined, path))).toThrow('Unauthorized');
    }
    expect(() => healthOnly.authenticate(request('Bearer wrong', '/readyz'))).toThrow('Unauthorized');
    expect(healthOnly.authenticate(request('Bearer secret', '/apis'))).toMatchObject({ name: 'alice' });
  });

  it('ignores a token after two spaces, with a warning', () => {
    const asked = request('Bearer  secret');
    expect(union(true).authenticate(asked)).toMatchObject({ name: 'system:anonymous' });
    expect(asked.warnings).toHaveLength(1);
  });
});

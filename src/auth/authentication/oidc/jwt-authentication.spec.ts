import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AuthSettings } from '../../auth.settings.js';
import { anonymousAccess } from '../authentication-configuration.js';
import { createServiceAccountTokens } from '../service-account/service-account-tokens.js';
import { createJwtAuthentication, oidcFlags } from './jwt-authentication.js';

const config = (given: Partial<AuthSettings>): AuthSettings => Object.assign(new AuthSettings(), given);
const OIDC = { oidcIssuerUrl: 'https://login.example.org', oidcClientId: 'cluster' };

describe('the --oidc flags', () => {
  it('are converted to the configuration that a file would contain', () => {
    const given = { ...OIDC, oidcGroupsClaim: 'groups', oidcRequiredClaim: ['hd=a=b'] };
    expect(oidcFlags(config(given))).toEqual([
      {
        issuer: { url: 'https://login.example.org', audiences: ['cluster'] },
        claimMappings: { username: { claim: 'sub', prefix: 'https://login.example.org#' }, groups: { claim: 'groups', prefix: '' } },
        claimValidationRules: [{ claim: 'hd', requiredValue: 'a=b' }],
      },
    ]);
  });

  it.each([
    [{ oidcUsernamePrefix: 'x:' }, 'x:'],
    [{ oidcUsernamePrefix: '-' }, ''],
    [{ oidcUsernameClaim: 'email' }, ''],
    [{ oidcUsernameClaim: 'email', oidcUsernamePrefix: 'y:' }, 'y:'],
  ])('%j results in the user name prefix %j', (given, prefix) => {
    expect(oidcFlags(config({ ...OIDC, ...given }))[0]?.claimMappings.username.prefix).toBe(prefix);
  });

  it.each([{ oidcIssuerUrl: 'https://a' }, { oidcClientId: 'a' }, { oidcGroupsClaim: 'a' }])(
    '%j without the other flags is refused',
    (given) => {
      expect(() => oidcFlags(config(given))).toThrow('--oidc-issuer-url and --oidc-client-id must be given together');
    },
  );
});

describe('an issuer of JWTs', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const create = (given: Partial<AuthSettings>) => {
    const all = config(given);
    const serviceAccountTokens = createServiceAccountTokens(all, key, Date.now);
    return createJwtAuthentication({ config: all, files: { watch: () => undefined }, serviceAccountTokens, now: Date.now });
  };

  it.each([
    [{ ...OIDC, oidcIssuerUrl: 'http://a' }, 'jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https'],
    [{ ...OIDC, oidcIssuerUrl: 'https://kubernetes.default.svc' }, 'URL must not overlap with disallowed issuers'],
    [
      { authenticationConfig: '/no/such/file' },
      "cannot read --authentication-config: ENOENT: no such file or directory, open '/no/such/file'",
    ],
    [{ ...OIDC, authenticationConfig: '/no/such/file' }, '--authentication-config and --oidc-issuer-url cannot be combined'],
    [{ ...OIDC, oidcCaFile: '/no/such/file' }, 'cannot read --oidc-ca-file'],
    [{ ...OIDC, uiOidcClientId: 'dashboard' }, '--ui-oidc-client-id=dashboard is not among the audiences of any JWT issuer'],
    [{ uiOidcClientId: 'dashboard' }, '--ui-oidc-client-id=dashboard is not among the audiences of any JWT issuer'],
  ])('configured as %j is refused', (given, message) => {
    expect(() => create(given)).toThrow(message);
  });
});

describe('anonymous requests', () => {
  it('are allowed according to the flags and the authorization mode', () => {
    expect(anonymousAccess(config({ authorizationMode: ['RBAC'] }))).toEqual({ anonymous: true });
    expect(anonymousAccess(config({ authorizationMode: ['AlwaysAllow'] }))).toEqual({ anonymous: false });
    expect(anonymousAccess(config({ anonymousAuthPaths: ['/livez'] }))).toEqual({ anonymous: true, anonymousPaths: new Set(['/livez']) });
  });

  it('are allowed according to the file, if it configures them', () => {
    expect(anonymousAccess(config({}), { enabled: true, paths: [] })).toEqual({ anonymous: true });
    expect(anonymousAccess(config({}), { enabled: true, paths: ['/livez'] })).toEqual({
      anonymous: true,
      anonymousPaths: new Set(['/livez']),
    });
    expect(anonymousAccess(config({ authorizationMode: ['RBAC'] }), { enabled: false, paths: [] })).toEqual({ anonymous: false });
  });

  it.each([{ anonymousAuth: false }, { anonymousAuthPaths: ['/livez'] }])('must not be configured twice: %j', (given) => {
    expect(() => anonymousAccess(config(given), { enabled: true, paths: [] })).toThrow(
      'cannot be combined with an --authentication-config',
    );
  });
});

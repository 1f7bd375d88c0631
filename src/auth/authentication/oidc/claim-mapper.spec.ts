import { describe, expect, it } from '@jest/globals';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { JwtClaims } from '../jwt/jwt-authenticator.js';
import { compileJwtAuthenticators } from './jwt-authentication.js';
import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';

const issuer = { url: 'https://login.example.org', audiences: ['a'] };

function userOf(config: Omit<JwtAuthenticatorConfig, 'issuer'>, claims: JwtClaims): UserInfo {
  const { errors, compiled } = compileJwtAuthenticators([{ issuer, ...config }], []);
  expect(errors).toEqual([]);
  const [first] = compiled;
  if (!first) throw new Error('nothing was compiled');
  return first.mapper.userOf(claims);
}

const sub = { username: { claim: 'sub', prefix: '' } };

describe('claims are mapped to a user', () => {
  it('by name, with prefixes', () => {
    const claimMappings = { username: { claim: 'name', prefix: 'x:' }, groups: { claim: 'roles', prefix: 'y:' }, uid: { claim: 'id' } };
    expect(userOf({ claimMappings }, { name: 'ann', roles: ['a', 'b'], id: '7' })).toMatchObject({
      name: 'x:ann',
      groups: ['y:a', 'y:b'],
      uid: '7',
    });
  });

  it('with a single group as a string, or none', () => {
    const claimMappings = { ...sub, groups: { claim: 'role', prefix: '' } };
    expect(userOf({ claimMappings }, { sub: 'ann', role: 'dev' }).groups).toEqual(['dev']);
    expect(userOf({ claimMappings }, { sub: 'ann', role: null }).groups).toEqual([]);
    expect(userOf({ claimMappings }, { sub: 'ann' }).groups).toEqual([]);
  });

  it('by expressions', () => {
    const claimMappings = {
      username: { expression: 'claims.name.lowerAscii() + "@" + claims.?realm.orValue("default")' },
      groups: { expression: 'claims.access.roles.filter(r, r.startsWith("k8s-")).map(r, r.replace("k8s-", "oidc:"))' },
      uid: { expression: 'string(claims.number)' },
      extra: [
        { key: 'example.org/team', valueExpression: 'claims.team' },
        { key: 'example.org/none', valueExpression: '""' },
        { key: 'example.org/many', valueExpression: '["a", "", claims.team]' },
      ],
    };
    const claims = { name: 'Ann', access: { roles: ['k8s-admin', 'mail'] }, number: 7, team: 'blue', jti: 'j' };
    expect(userOf({ claimMappings }, claims)).toEqual({
      name: 'ann@default',
      groups: ['oidc:admin'],
      uid: '7',
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'], 'example.org/team': ['blue'], 'example.org/many': ['a', 'blue'] },
    });
  });
});

describe('claims are refused', () => {
  const mail = { username: { claim: 'email', prefix: '' } };
  const expression = (text: string) => ({ username: { expression: text } });
  const cases: [string, Omit<JwtAuthenticatorConfig, 'issuer'>, JwtClaims, string][] = [
    ['without the name', { claimMappings: sub }, {}, 'parse username claims "sub": claim not present'],
    ['whose name is a number', { claimMappings: sub }, { sub: 7 }, 'must be a string'],
    ['whose name is empty', { claimMappings: sub }, { sub: '' }, 'empty username'],
    ['whose name is inherited', { claimMappings: { username: { claim: 'constructor', prefix: '' } } }, {}, 'claim not present'],
    ['whose mail address is not verified', { claimMappings: mail }, { email: 'a@b', email_verified: false }, 'email not verified'],
    ['whose mail address is verified in words', { claimMappings: mail }, { email: 'a@b', email_verified: 'true' }, 'email not verified'],
    [
      'with groups that are no texts',
      { claimMappings: { ...sub, groups: { claim: 'g', prefix: '' } } },
      { sub: 'a', g: [1] },
      'parse groups claim "g"',
    ],
    ['without the uid', { claimMappings: { ...sub, uid: { claim: 'id' } } }, { sub: 'a' }, 'parse uid claim "id"'],
    ['when an expression fails', { claimMappings: expression('claims.a.b') }, {}, 'No such key: a'],
    ['when an expression makes no text', { claimMappings: expression('claims.sub') }, { sub: true }, 'must return a string'],
    ['when an expression makes an empty text', { claimMappings: expression('claims.sub') }, { sub: '' }, 'empty username via CEL'],
    [
      'without a required claim',
      { claimMappings: sub, claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] },
      { sub: 'a' },
      'required claim hd not present',
    ],
    [
      'with another value of it',
      { claimMappings: sub, claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] },
      { sub: 'a', hd: 'y' },
      'value does not match',
    ],
    [
      'that break a rule',
      { claimMappings: sub, claimValidationRules: [{ expression: 'claims.exp - claims.nbf <= 86400', message: 'lives too long' }] },
      { sub: 'a', exp: 90_000, nbf: 0 },
      'validation failed: lives too long',
    ],
    [
      'that become a user who breaks a rule',
      { claimMappings: sub, userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }] },
      { sub: 'system:admin' },
      'validation failed: reserved',
    ],
    [
      'that become a user in a group that breaks a rule',
      {
        claimMappings: { ...sub, groups: { claim: 'g', prefix: '' } },
        userValidationRules: [{ expression: "user.groups.all(g, !g.startsWith('system:'))" }],
      },
      { sub: 'a', g: ['x', 'system:masters'] },
      'validation failed: validation expression',
    ],
  ];
  it.each(cases)('%s', (_how, config, claims, text) => {
    expect(() => userOf(config, claims)).toThrow(text);
  });
});

describe('a configuration of issuers is refused', () => {
  const good: JwtAuthenticatorConfig = { issuer, claimMappings: sub };
  const findings = (...configs: JwtAuthenticatorConfig[]) =>
    compileJwtAuthenticators(configs, ['https://kubernetes.default.svc']).errors.map(({ field, body }) => `${field}: ${body}`);
  const withIssuer = (change: object): JwtAuthenticatorConfig => ({ ...good, issuer: { ...issuer, ...change } });
  const withMappings = (change: object): JwtAuthenticatorConfig => ({ ...good, claimMappings: { ...sub, ...change } });
  const cases: [JwtAuthenticatorConfig, string][] = [
    [withIssuer({ url: '' }), 'jwt[0].issuer.url: Required value'],
    [withIssuer({ url: 'http://a' }), 'jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https'],
    [
      withIssuer({ url: 'https://u:p@a/?q#f' }),
      'jwt[0].issuer.url: Invalid value: "https://u:p@a/?q#f": URL must not contain a username or password',
    ],
    [withIssuer({ url: 'https://kubernetes.default.svc' }), 'URL must not overlap with disallowed issuers'],
    [
      withIssuer({ discoveryURL: `${issuer.url}/` }),
      'jwt[0].issuer.discoveryURL: Invalid value: "https://login.example.org/": discoveryURL must be different from URL',
    ],
    [withIssuer({ audiences: [] }), 'jwt[0].issuer.audiences: Required value'],
    [
      withIssuer({ audiences: ['a', 'b'] }),
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
    [withIssuer({ certificateAuthority: 'x' }), 'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>"'],
    [withMappings({ username: {} }), 'jwt[0].claimMappings.username: Required value: claim or expression is required'],
    [withMappings({ username: { claim: 'sub' } }), 'jwt[0].claimMappings.username.prefix: Required value'],
    [
      withMappings({ username: { claim: 'sub', expression: 'claims.sub' } }),
      'jwt[0].claimMappings.username: Invalid value: "": claim and expression can\'t both be set',
    ],
    [
      withMappings({ username: { expression: 'claims.' } }),
      'jwt[0].claimMappings.username.expression: Invalid value: "claims.": compilation failed',
    ],
    [withMappings({ username: { expression: 'user.username' } }), 'compilation failed: Unknown variable: user'],
    [withMappings({ username: { expression: 'claims.email' } }), 'claims.email_verified must be used in'],
    [withMappings({ extra: [{ key: 'foo', valueExpression: '""' }] }), 'jwt[0].claimMappings.extra[0].key: Invalid value: "foo"'],
    [withMappings({ extra: [{ key: 'a.k8s.io/x', valueExpression: '""' }] }), 'are reserved for Kubernetes use'],
    [withMappings({ extra: [{ key: 'a.io/X', valueExpression: '""' }] }), 'must be lowercase'],
    [{ ...good, claimValidationRules: [{}] }, 'jwt[0].claimValidationRules[0]: Required value: claim or expression is required'],
    [{ ...good, claimValidationRules: [{ expression: 'claims.sub' }] }, 'must evaluate to bool'],
    [
      { ...good, userValidationRules: [{ expression: 'user.age > 1' }] },
      'jwt[0].userValidationRules[0].expression: Invalid value: "user.age > 1": compilation failed: No such key: age',
    ],
  ];
  it.each(cases)('%j', (config, text) => {
    expect(findings(config)).toEqual(expect.arrayContaining([expect.stringContaining(text)]));
  });

  it('that names an issuer twice', () => {
    expect(findings(good, good)).toEqual(['jwt[1].issuer.url: Duplicate value: "https://login.example.org"']);
  });

  it('that has more than 64 issuers', () => {
    expect(findings(...Array.from({ length: 65 }, () => good))).toEqual(['jwt: Too many: 65: must have at most 64 items']);
  });

  it('unless a user name taken from the email claim depends on email_verified', () => {
    expect(
      findings(withMappings({ username: { expression: 'claims.?email_verified.orValue(true) == true ? claims.email : claims.sub' } })),
    ).toEqual([]);
  });
});

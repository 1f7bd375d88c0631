import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { ask } from '../../support/http-client.js';
import { type OidcIssuer, issuerKey, startOidcIssuer } from '../../support/oidc-issuer.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';

const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const scratch = scratchDirectory();

interface WhoAmI {
  status?: { userInfo?: { username: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> } };
}

/** The user of a token, or the status of the refusal. */
async function whoIs(server: ServerProcess, token: string): Promise<NonNullable<WhoAmI['status']>['userInfo'] | number> {
  const { status, json } = await ask(server.url + WHOAMI, { method: 'POST', body: {}, headers: { authorization: `Bearer ${token}` } });
  return status === 201 ? (json as unknown as WhoAmI).status?.userInfo : status;
}

async function becomes<T>(expected: T, read: () => Promise<T>): Promise<void> {
  const end = Date.now() + 20_000;
  for (let last = await read(); ; last = await read()) {
    if (JSON.stringify(last) === JSON.stringify(expected)) return;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const indented = (text: string): string => text.trim().replace(/\n/g, '\n      ');

function configuration({ url, authority }: OidcIssuer, prefix = 'oidc:', rest = ''): string {
  return `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${url}
    audiences: [cluster]
    certificateAuthority: |
      ${indented(authority)}
  claimMappings:
    username: {expression: '"${prefix}" + claims.sub'}
    groups: {expression: 'claims.?groups.orValue([]).map(g, "${prefix}" + g)'}
    uid: {expression: 'claims.?id.orValue("")'}
    extra: [{key: example.org/team, valueExpression: 'claims.?team.orValue("")'}]
  claimValidationRules:
  - expression: 'claims.?tier.orValue("gold") == "gold"'
    message: wrong tier
  userValidationRules:
  - expression: "!user.username.startsWith('system:')"
    message: names of the system are reserved
${rest}`;
}

describe('JWTs configured by --authentication-config', () => {
  const file = path.join(scratch, 'authentication.yaml');

  const issuer = forAllTests(() => startOidcIssuer());
  beforeAll(() => {
    writeFileSync(file, configuration(issuer, 'oidc:', 'anonymous: {enabled: true, conditions: [{path: /livez}]}\n'));
  });
  const server = forAllTests(() => startServerProcess({ flags: [`--authentication-config=${file}`] }));

  it('authenticate their users', async () => {
    expect(await whoIs(server, await issuer.sign({ groups: ['dev'], id: '7', team: 'blue', jti: 'j' }))).toEqual({
      username: 'oidc:ann',
      uid: '7',
      groups: ['oidc:dev', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'], 'example.org/team': ['blue'] },
    });
  });

  it('are required except for the anonymous paths in the file', async () => {
    const none = { headers: { authorization: '' } };
    expect((await ask(`${server.url}/livez`, none)).status).toBe(200);
    expect((await ask(`${server.url}/readyz`, none)).status).toBe(401);
  });

  it('are refused when invalid, and the log gives the reason without the token', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: issuer.url, aud: 'cluster', sub: 'eve', exp: seconds + 3600 };
    const hmac = (key: string | Buffer): string => {
      const body = `${encoded({ alg: 'HS256', kid: 'first' })}.${encoded(claims)}`;
      return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
    };
    const [key] = issuer.keys;
    const good = await issuer.sign();
    const bad: Record<string, string> = {
      'wrong signature': `${good.slice(0, -10)}AAAAAAAAAA`,
      'strange key': await issuer.sign({}, { key: issuerKey('first') }),
      'unknown key': await issuer.sign({}, { key: issuerKey('nobody') }),
      expired: await issuer.sign({ exp: seconds - 1 }),
      'not yet valid': await issuer.sign({ nbf: seconds + 3600 }),
      'wrong audience': await issuer.sign({ aud: 'elsewhere' }),
      'wrong issuer': await issuer.sign({ iss: 'https://elsewhere.example.org' }),
      'no algorithm': `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
      'key confusion': hmac(key?.publicKey.export({ type: 'spki', format: 'pem' }) ?? ''),
      'key id that is a path': await issuer.sign({}, { header: { kid: '/dev/null' } }),
      'breaks a rule for claims': await issuer.sign({ tier: 'lead' }),
      'not text': `${encoded({ alg: 'RS256' })}.%%%.x`,
      'cut off': good.slice(0, good.lastIndexOf('.')),
      'four parts': `${good}.x`,
      huge: await issuer.sign({ pad: 'x'.repeat(9000) }, { key: issuerKey('nobody') }),
    };
    for (const [how, token] of Object.entries(bad)) expect([how, await whoIs(server, token)]).toEqual([how, 401]);
    const lines = server.output();
    for (const why of ['token is expired', 'failed to verify signature', 'expected audience in', 'wrong tier']) {
      expect(lines).toContain(why);
    }
    const parts = Object.values(bad).flatMap((token) => token.split('.').slice(1));
    expect(parts.filter((part) => part.length > 20 && lines.includes(part))).toEqual([]);
  });

  it('are verified with the current keys of their issuer', async () => {
    const [before] = issuer.keys;
    const after = issuerKey('second');
    issuer.keys = [after];
    await becomes('oidc:ann', async () => nameOf(await whoIs(server, await issuer.sign({}, { key: after }))));
    expect(await whoIs(server, await issuer.sign({ sub: 'new' }, { key: before }))).toBe(401);
  });

  it('follow changes of the file, and a broken file changes nothing', async () => {
    writeFileSync(file, configuration(issuer, 'other:'));
    await becomes('other:ann', async () => nameOf(await whoIs(server, await issuer.sign())));
    writeFileSync(file, configuration(issuer, 'third:').replace('claims.sub', 'claims.'));
    await becomes(true, () => Promise.resolve(server.output().includes('cannot use changed files')));
    expect(nameOf(await whoIs(server, await issuer.sign()))).toBe('other:ann');
  });
});

function nameOf(user: Awaited<ReturnType<typeof whoIs>>): string | number | undefined {
  return typeof user === 'object' ? user.username : user;
}

describe('JWTs configured by --oidc flags', () => {
  const issuer = forAllTests(() => startOidcIssuer());
  const server = forAllTests(() => {
    const authority = path.join(scratch, 'issuer.pem');
    writeFileSync(authority, issuer.authority);
    return startServerProcess({
      flags: [
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=cluster',
        `--oidc-ca-file=${authority}`,
        '--oidc-groups-claim=groups',
        '--oidc-groups-prefix=g:',
        '--oidc-required-claim=hd=example.org',
      ],
    });
  });

  it('authenticate users under the name of their issuer', async () => {
    expect(await whoIs(server, await issuer.sign({ hd: 'example.org', groups: 'dev' }))).toMatchObject({
      username: `${issuer.url}#ann`,
      groups: ['g:dev', 'system:authenticated'],
    });
    expect(await whoIs(server, await issuer.sign({ hd: 'example.com' }))).toBe(401);
    expect(await whoIs(server, await issuer.sign())).toBe(401);
  });

  it('work alongside service account tokens', async () => {
    const accounts = `${server.url}/api/v1/namespaces/default/serviceaccounts`;
    await ask(accounts, { method: 'POST', body: { metadata: { name: 'robot' } } });
    const { json } = await ask(`${accounts}/robot/token`, { method: 'POST', body: {} });
    const { token } = (json as unknown as { status: { token: string } }).status;
    expect(nameOf(await whoIs(server, token))).toBe('system:serviceaccount:default:robot');
  });
});

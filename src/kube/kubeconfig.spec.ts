import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { credentialsIn, pluginCommand, pluginFailure } from './exec-plugin.js';
import { targetOf, withoutPlugin } from './kube-target.js';
import { contextOf, parseKubeconfig } from './kubeconfig.js';

const config = (file: string, text: string) => parseKubeconfig(file, text, parse);
const CONTEXTS = 'contexts: [{name: a, context: {cluster: c, user: u}}]';
const CLUSTERS = 'clusters: [{name: c, cluster: {server: "https://c"}}]\nusers: [{name: u, user: {token: t}}]';

it('takes each entry from the first file that has it, with the folder of that file', () => {
  const configs = [
    config('/one/config', CONTEXTS),
    config('/two/config', CLUSTERS),
    config('/three/config', CLUSTERS.replace('//c', '//d')),
  ];
  expect(contextOf(configs)).toMatchObject({
    cluster: { directory: '/two', fields: { server: 'https://c' } },
    user: { directory: '/two', fields: { token: 't' } },
  });
});

it('takes the only context where no file names a current one, and none of several', () => {
  expect(contextOf([config('f', `${CONTEXTS}\n${CLUSTERS}`)]).cluster.fields).toEqual({ server: 'https://c' });
  const several = `contexts: [{name: a, context: {cluster: c}}, {name: b}]\n${CLUSTERS}`;
  expect(() => contextOf([config('f', several)])).toThrow('f has no context ""');
});

it.each([
  ['contexts: [~, 1, x]', 'f has no context ""'],
  ['contexts: {a: 1}', 'f has no context ""'],
  ['contexts: [{name: a}]', 'f has no cluster ""'],
  ['contexts: [{name: a, context: {cluster: c, user: v}}]\n' + CLUSTERS, 'f has no user "v"'],
])('says in one line what is missing in %j', (text, message) => {
  expect(() => contextOf([config('f', text)])).toThrow(message);
});

it.each(['1', '[]', 'a: [', '"x"'])('takes %j for no kubeconfig', (text) => {
  expect(() => config('f', text)).toThrow(/^(f is not a kubeconfig|cannot read the kubeconfig f: .*)$/);
});

it('refuses a credential plugin where a server would ask without credentials', () => {
  const plugin = targetOf(contextOf([config('f', `${CONTEXTS}\n${CLUSTERS.replace('token: t', 'exec: {command: x}')}`)]));
  expect(() => withoutPlugin(plugin)).toThrow('a server runs no credential plugin (exec)');
});

it('takes the password out of the URL of the server, which messages show', () => {
  const target = targetOf(
    contextOf([config('f', `${CONTEXTS}\n${CLUSTERS.replace('//c', '//me:se%40cret@c/x@y').replace('{token: t}', '{}')}`)]),
  );
  expect(target.server).toBe('https://c/x@y');
  expect(target.authorization?.()).toBe(`Basic ${Buffer.from('me:se@cret').toString('base64')}`);
});

it.each([
  ['"https://c"', '"https://c", proxy-url: "socks5://p"', 'proxy-url'],
  ['{token: t}', '{token: t, as: joe}', 'as (impersonation)'],
  ['{token: t}', '{auth-provider: {name: oidc}}', 'auth-provider'],
])('refuses what it would miss: %s with %s', (plain, given, what) => {
  expect(() => targetOf(contextOf([config('f', `${CONTEXTS}\n${CLUSTERS.replace(plain, given)}`)]))).toThrow(`f: ${what} is not supported`);
});

it('refuses an authority beside insecure-skip-tls-verify, as kubectl does', () => {
  const both = CLUSTERS.replace('"https://c"', '"https://c", insecure-skip-tls-verify: true, certificate-authority-data: "Y2E="');
  expect(() => targetOf(contextOf([config('f', `${CONTEXTS}\n${both}`)]))).toThrow(
    'f: insecure-skip-tls-verify would bypass the certificate-authority',
  );
});

it('takes the credentials of the file before those of a plugin, whose command may be relative to it', () => {
  const target = (user: string) => targetOf(contextOf([config('/one/config', `${CONTEXTS}\n${CLUSTERS.replace('{token: t}', user)}`)]));
  expect(target('{token: t, exec: {command: x}}').exec).toBeUndefined();
  expect(target('{exec: {command: x}}').exec).toEqual({ command: 'x' });
  expect(target('{exec: {command: ./x}}').exec).toEqual({ command: '/one/x' });
  expect(pluginCommand({ command: 'x', args: [1], env: [null, { name: 'A', value: 'b' }] })).toMatchObject({
    args: ['1'],
    options: { env: { A: 'b' }, timeout: 180_000, killSignal: 'SIGKILL' },
  });
});

const VERSION = 'client.authentication.k8s.io/v1';
const printed = (status: unknown, of: object = {}) => JSON.stringify({ kind: 'ExecCredential', apiVersion: VERSION, status, ...of });

it('takes what a plugin issues', () => {
  expect(credentialsIn(printed({ token: 't' }), { apiVersion: VERSION })).toMatchObject({ token: 't', until: Infinity });
  const certificate = { clientCertificateData: 'c', clientKeyData: 'k', expirationTimestamp: '1970-01-01T00:00:01Z' };
  expect(credentialsIn(printed(certificate), { apiVersion: VERSION })).toMatchObject({ cert: 'c', key: 'k', until: 1000 });
});

it.each(['', 'secret', 'null', '5', '"x"', '[]', printed({ token: 't' }, { kind: 'Pod' }), printed({ token: 't' }, { apiVersion: 'v1' })])(
  'takes %j for no credential, and repeats nothing of it',
  (text) => {
    expect(() => credentialsIn(text, { apiVersion: VERSION })).toThrow(
      /^it printed no ExecCredential of the apiVersion client.authentication.k8s.io.v1$/,
    );
  },
);

it.each([undefined, null, 'secret', {}, { token: '' }, { token: 5 }, { clientCertificateData: 'c' }, { token: 't', clientKeyData: 'k' }])(
  'does not go on without credentials: %j',
  (status) => {
    expect(() => credentialsIn(printed(status), {})).toThrow('it issued neither a token nor a certificate with its key');
  },
);

it.each([
  [{ status: 3, message: 'Command failed: x --password secret' }, 'exit code 3'],
  [{ code: 3, signal: null, killed: false }, 'exit code 3'],
  [{ status: null, code: 'ENOENT' }, 'ENOENT'],
  [{ status: null, signal: 'SIGHUP' }, 'SIGHUP'],
  [{ code: null, signal: 'SIGKILL', killed: true }, 'no answer within 180000 ms'],
  [{ status: null, code: 'ETIMEDOUT', signal: 'SIGKILL' }, 'no answer within 180000 ms'],
])('says how a plugin failed, and not with which arguments: %j', (error, why) => {
  expect(pluginFailure('x', error).message).toBe(`the credential plugin x failed: ${why}`);
});

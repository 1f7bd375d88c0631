import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from './load-config.js';
import { allSettings } from './server-settings.js';
import { usesEmbeddedPostgres } from './server-address.js';

let dir: string;
beforeAll(() => (dir = mkdtempSync(path.join(tmpdir(), 'config-'))));
afterAll(() => rmSync(dir, { recursive: true }));

const file = (text: string): string => {
  const name = path.join(dir, 'config.yaml');
  writeFileSync(name, text);
  return name;
};
const load = (parts: Partial<Parameters<typeof loadConfig>[0]> = {}) => loadConfig({ flags: {}, environment: {}, ...parts });

test('the defaults of flags that kube-apiserver has are the same', () => {
  expect(load()).toMatchObject({
    bindAddress: '',
    securePort: 6443,
    anonymousAuth: true,
    authorizationMode: ['AlwaysAllow'],
    requestTimeout: 60_000,
    minRequestTimeout: 1800,
    compactionInterval: 300_000,
    dataDir: '.data',
  });
});

test('a flag takes precedence over a variable, and a variable over the file', () => {
  const sources = {
    flags: { 'secure-port': '1' },
    environment: { COORDINATION_APISERVER_SECURE_PORT: '2', COORDINATION_APISERVER_LOG_LEVEL: 'warn' },
    file: file('secure-port: 3\nlog-level: debug\nrequest-timeout: 1m30s\nanonymous-auth: false\n'),
  };
  expect(load(sources)).toMatchObject({ securePort: 1, logLevel: 'warn', requestTimeout: 90_000, anonymousAuth: false });
});

test('a variable can name the file, and DATABASE_URL sets the database', () => {
  const environment = { COORDINATION_APISERVER_CONFIG: file('secure-port: 3'), DATABASE_URL: 'postgresql://h/d' };
  expect(load({ environment })).toMatchObject({ securePort: 3, databaseUrl: 'postgresql://h/d' });
});

/** Valid values of settings that accept only certain values of their type. */
const FITTING: Readonly<Record<string, string>> = {
  'renewal-delay': '7ms',
  'proxy-protocol': '10.0.0.0/8',
  'web-socket-allowed-origins': 'https://dashboard.example',
  'bind-address': '127.0.0.1',
  'anonymous-auth-paths': '/livez',
  'authentication-token-webhook-version': 'v1',
  'authorization-mode': 'RBAC',
  'authorization-webhook-version': 'v1',
  'audit-log-format': 'legacy',
  'audit-log-mode': 'batch',
  'audit-webhook-mode': 'blocking',
  controllers: 'namespace-controller',
  'database-pooling': 'transaction',
  'database-schema': 'leases',
  'http2-implementation': 'node',
  'log-level': 'warn',
  'logging-format': 'text',
  'oidc-required-claim': 'hd=example.org',
  'term-history-rows': '7000',
  'oidc-signing-algs': 'ES256',
  'requestheader-uid-headers': 'X-Remote-Uid',
  'service-account-jwks-uri': 'https://issuer/keys',
  'service-account-max-token-expiration': '1h',
};

/** Flags without which a setting is refused. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'ui-oidc-scopes': { 'ui-oidc-client-id': 'dashboard' } };

test('every setting is a flag, a variable and a key of the file', () => {
  for (const setting of allSettings()) {
    const raw = { text: 'x', integer: '7', number: '0.007', boolean: 'true', duration: '7s', list: 'NamespaceLifecycle' }[setting.kind];
    const text = FITTING[setting.name] ?? raw;
    const needed = NEEDED[setting.name] ?? {};
    // These name files, which must exist and fit each other.
    if (setting.name.startsWith('tls-') || setting.name === 'authorization-webhook-config-file') continue;
    const expected = load({ flags: { ...needed, [setting.name]: text } });
    expect(load({ flags: needed, environment: { [setting.environment]: text } })).toEqual(expected);
    expect(load({ flags: needed, file: file(`${setting.name}: ${setting.kind === 'list' ? `[${text}]` : text}`) })).toEqual(expected);
  }
});

test.each([
  [{ environment: { COORDINATION_APISERVER_PORT: '1' } }, 'unknown environment variable COORDINATION_APISERVER_PORT'],
  [{ flags: { 'secure-port': 'x' } }, 'invalid value "x" for --secure-port: must be a whole number'],
  [{ flags: { 'secure-port': '65536' } }, 'invalid value 65536 for --secure-port: must be between 0 and 65535'],
  [{ flags: { 'request-timeout': '60' } }, 'invalid value "60" for --request-timeout: must be a duration such as 90s, 1m30s or 7d'],
  [
    { environment: { COORDINATION_APISERVER_ANONYMOUS_AUTH: 'yes' } },
    'invalid value "yes" for COORDINATION_APISERVER_ANONYMOUS_AUTH: must be true or false',
  ],
  [{ flags: { 'bind-address': 'localhost' } }, 'invalid value "localhost" for --bind-address: must be an IP address'],
  [
    { flags: { 'authorization-mode': 'ABAC' } },
    'invalid value ["ABAC"] for --authorization-mode: must be among AlwaysAllow, FrontProxy, Node, RBAC, Webhook',
  ],
  [
    { flags: { 'authorization-mode': 'RBAC,Webhook' } },
    '--authorization-mode=Webhook and --authorization-webhook-config-file must be given together',
  ],
  [
    { flags: { 'worker-ports': true, workers: '0', 'secure-port': String(65_537 - availableParallelism()) } },
    '--worker-ports needs a --secure-port from which it can count up, at most to 65535',
  ],
  [{ flags: { 'proxy-protocol': '10.0.0.0/33' } }, '--proxy-protocol: "10.0.0.0/33" is no address and no range such as 10.0.0.0/8'],
  [{ flags: { 'requestheader-uid-headers': 'X-Uid' } }, '--requestheader-uid-headers must include X-Remote-Uid'],
  ...['requestheader-client-ca-file', 'cluster-kubeconfig'].map((of): [object, string] => [
    { flags: { 'goaway-chance': '0.001', [of]: 'x' } },
    `--goaway-chance must be 0 with --${of}: a kube-apiserver in front answers some writes with 503 after a GOAWAY`,
  ]),
  [{ flags: { 'tls-cert-file': 'x' } }, '--tls-cert-file and --tls-private-key-file must be given together'],
])('%j is refused in one line that names it', (sources, message) => {
  expect(() => load(sources)).toThrow(new Error(message));
});

describe.each(allSettings().map((setting) => [setting.name, setting] as const))(
  'an empty value of %s',
  (name, { environment, alsoEnvironment, mayBeEmpty }) => {
    const variables = [environment, ...(alsoEnvironment === undefined ? [] : [alsoEnvironment])];
    const ways: [string, (text: string) => object][] = [
      [`--${name}`, (text) => ({ flags: { [name]: text } })],
      ...variables.map((variable): [string, (text: string) => object] => [variable, (text) => ({ environment: { [variable]: text } })]),
      [`"${name}" in `, (text) => ({ file: file(`${name}: '${text}'\n`) })],
    ];
    test.each(['', ' ', '\t '])('%j is refused however it is given, unless it is a value of its own', (text) => {
      for (const [origin, given] of ways) {
        if (mayBeEmpty) expect(() => load(given(text))).not.toThrow();
        else expect(() => load(given(text))).toThrow(refusalOf(origin));
      }
    });
  },
);

function refusalOf(origin: string): RegExp {
  // eslint-disable-next-line security/detect-non-literal-regexp -- of names of settings
  return new RegExp(`^invalid value "" for ${origin}.*: must not be empty \\(leave it out for the default\\)$`);
}

test('an empty list, an empty item of one and an empty name of the file are refused', () => {
  expect(() => load({ file: file('tls-san: []\n') })).toThrow('must not be empty');
  expect(() => load({ file: file("tls-san: [a, '']\n") })).toThrow('must be a list of names');
  expect(() => load({ environment: { COORDINATION_APISERVER_CONFIG: '' } })).toThrow(
    'invalid value "" for COORDINATION_APISERVER_CONFIG: must not be empty',
  );
  expect(load({ flags: { 'tls-san': 'a,' } }).tlsSan).toEqual(['a']);
});

test.each(['PGHOST', 'PGPORT', 'PGDATABASE'])('an empty %s, which would select a database, is refused', (name) => {
  expect(() => usesEmbeddedPostgres(load(), { [name]: '' })).toThrow(`invalid value "" for ${name}: must not be empty`);
  expect(usesEmbeddedPostgres(load({ flags: { 'database-url': 'postgresql://h/d' } }), { [name]: '' })).toBe(false);
});

test('UIDs in headers of front proxies are ignored by default, as by kube-apiserver', () => {
  expect(load({}).requestheaderUidHeaders).toEqual([]);
});

test('an unknown key, a file that is not a mapping and a missing file are refused by name', () => {
  const unknown = file('secure-prot: 1');
  expect(() => load({ file: unknown })).toThrow(`unknown key "secure-prot" in ${unknown}`);
  expect(() => load({ file: file('- a') })).toThrow('must be a mapping of keys to values');
  expect(() => load({ file: path.join(dir, 'absent') })).toThrow('cannot read the configuration file');
});

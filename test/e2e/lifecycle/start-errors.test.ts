import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { rowsOf } from '../../support/connected.js';
import { createTestDatabase, serverUrl } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { type RunOptions, ServerRun } from './server-run.js';

const base = scratchDirectory();
let count = 0;

/** The output of a failing start, which must be one line, with exit code 1 and nothing on stdout. */
async function failure(flags: readonly string[], options: RunOptions = {}): Promise<string> {
  const run = new ServerRun(['--secure-port=0', `--data-dir=${path.join(base, `data-${count++}`)}`, ...flags], options);
  const code = await run.ended;
  expect([code, run.stdout]).toEqual([1, '']);
  expect(run.stderr.endsWith('\n')).toBe(true);
  const lines = run.stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const given = (name: string, text: string): string => {
  const file = path.join(base, name);
  writeFileSync(file, text);
  return file;
};

test('unknown flags, variables and keys', async () => {
  expect(await failure(['--no-such-flag=1'])).toBe("error: unknown option '--no-such-flag'");
  expect(await failure([], { environment: { COORDINATION_APISERVER_PROT: '1' } })).toBe(
    'error: unknown environment variable COORDINATION_APISERVER_PROT',
  );
  const file = given('config.yaml', 'prot: 1\n');
  expect(await failure([`--config=${file}`])).toBe(`error: unknown key "prot" in ${file}`);
});

test('a misspelt flag is answered with a suggestion', async () => {
  for (const flag of ['--secure-prt=1', '--secure-prot=7443', '--secure-prot']) {
    expect(await failure([flag])).toBe(`error: unknown option '${flag.split('=')[0]}' (Did you mean --secure-port?)`);
  }
});

test('an unusable authentication configuration', async () => {
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n';
  const unknown = given('unknown.yaml', `${head}jwt: [{issuer: {uri: x}}]\n`);
  expect(await failure([`--authentication-config=${unknown}`])).toBe(
    `error: cannot use --authentication-config ${unknown}: strict decoding error: unknown field "jwt[0].issuer.uri"`,
  );
  const key = given('no-key.pem', 'nothing');
  expect(await failure([`--service-account-key-file=${key}`])).toBe(
    `error: cannot use --service-account-key-file ${key}: it contains no PEM-encoded key`,
  );
});

test('a database that cannot be reached, resolved or logged in to', async () => {
  expect(await failure(['--database-url=postgresql://u:p@127.0.0.1:1/d'])).toMatch(/^error: cannot reach the database: .*127\.0\.0\.1/);
  expect(await failure(['--database-url=nonsense'])).toMatch(/^error: the database URL is invalid/);
  expect(await failure([], { environment: { DATABASE_URL: 'postgresql://u:p@name.invalid/d' } })).toMatch(/^error: .*name\.invalid/);
  expect(await failure([], { environment: { PGHOST: '127.0.0.1', PGPORT: '1' } })).toMatch(
    /^error: cannot reach the database: .*127\.0\.0\.1/,
  );
});

test('a database that does not exist, a wrong password, a missing right', async () => {
  const server = new URL(serverUrl());
  const at = (change: (url: URL) => void): string => {
    const url = new URL(server);
    change(url);
    return `--database-url=${url.href}`;
  };
  expect(await failure([at((url) => (url.pathname = '/no_such_database'))])).toMatch(/^error: .*no_such_database/);
  await using database = await createTestDatabase();
  const { pathname } = new URL(database.url);
  await rowsOf(database.url, "create role lifecycle_guest login password 'guest'");
  try {
    const guest = (password: string): string => at((url) => Object.assign(url, { pathname, username: 'lifecycle_guest', password }));
    expect(await failure([guest('wrong')])).toMatch(/^error: the database rejected the user or the password/);
    expect(await failure([guest('guest')])).toMatch(
      /^error: the schema coordination belongs to coordination, who could have the server run anything: connect as coordination, whose servers use it/,
    );
  } finally {
    await rowsOf(database.url, 'drop role lifecycle_guest');
  }
});

test('no error contains the database password', async () => {
  expect(await failure(['--database-url=postgresql://u:hunter2@127.0.0.1:1/d'])).not.toContain('hunter2');
});

test('missing or mismatched files', async () => {
  expect(await failure(['--token-auth-file=/no/such/file'])).toMatch(/^error: cannot read --token-auth-file: ENOENT/);
  expect(await failure([`--token-auth-file=${given('tokens.csv', 'a,b\n')}`])).toMatch(/^error: cannot use --token-auth-file .*line 1/);
  const junk = given('junk.pem', 'junk');
  expect(await failure([`--tls-cert-file=${junk}`, `--tls-private-key-file=${junk}`])).toMatch(/^error: cannot use --tls-cert-file/);
});

test.each([1, 2])('is reported before PostgreSQL is created or started, with %i workers', async (workers) => {
  const dataDir = path.join(base, 'untouched');
  const given = (flag: string): Promise<string> => failure([`--data-dir=${dataDir}`, `--workers=${workers}`, flag]);
  expect(await given('--token-auth-file=/no/such/file')).toContain('--token-auth-file');
  expect(await given('--audit-policy-file=/no/such/file')).toContain('--audit-policy-file');
  expect(await given('--client-ca-file=/no/such/file')).toContain('--client-ca-file');
  expect(await given('--audit-webhook-config-file=/no/such/file')).toContain('--audit-webhook-config-file');
  expect(await given('--lease-expiry-webhook-config-file=/no/such/file')).toContain('--lease-expiry-webhook-config-file');
  expect(await given('--runtime-config=api/all=maybe')).toContain('api/all=maybe');
  expect(await given('--runtime-config=coordination.k8s.io/v2=true')).toContain('coordination.k8s.io/v2');
  expect(await given('--bind-address=192.0.2.1')).toContain('192.0.2.1');
  expect(existsSync(dataDir)).toBe(false);
});

test('a data directory that cannot be created', async () => {
  const file = given('file', '');
  expect(await failure([`--data-dir=${file}/data`])).toMatch(/^error: cannot create the data directory /);
});

test('a directory below /proc, where none can be created', async () => {
  expect(await failure(['--data-dir=/proc/x'])).toMatch(/^error: cannot create the data directory \/proc\/x: /);
  await using database = await createTestDatabase();
  const flags = [`--database-url=${database.url}`, '--cert-dir=/proc/x'];
  expect(await failure(flags)).toMatch(/^error: cannot create the directory of certificates \/proc\/x: /);
  const audit = [`--database-url=${database.url}`, '--audit-log-path=/proc/x/audit.log'];
  expect(await failure(audit)).toMatch(/^error: cannot open --audit-log-path: cannot create the directory \/proc\/x: /);
});

test('a port in use', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    expect(await failure(['--bind-address=127.0.0.1', `--secure-port=${port}`])).toBe(
      `error: cannot listen on 127.0.0.1:${port}: the address is already in use: choose another port with --secure-port`,
    );
  } finally {
    other.close();
  }
});

test('an address that does not belong to this machine', async () => {
  expect(await failure(['--bind-address=192.0.2.1'])).toMatch(/^error: cannot listen on 192\.0\.2\.1:0: /);
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '../../support/test-database.js';
import type { TestDatabase } from '../../support/test-database.js';
import { runCommand } from '../cli/run-command.js';
import { ask, createLease, leaseNames, scratchDirectory, ServerRun } from './server-run.js';

const base = scratchDirectory();
let database: TestDatabase;
let count = 0;
beforeEach(async () => (database = await createTestDatabase()));
afterEach(() => database.drop());

function start(
  flags: readonly string[] = [],
  environment: Record<string, string> = { DATABASE_URL: database.url },
): { run: ServerRun; dataDir: string } {
  const dataDir = path.join(base, `data-${count++}`);
  return { run: new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, ...flags], { environment }), dataDir };
}

const SECRETS = ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'admin-token', 'sa.key'];
const secretsIn = (dataDir: string): string[] => SECRETS.map((name) => readFileSync(path.join(dataDir, 'certs', name), 'utf8'));

async function stored(): Promise<string> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<{ value: string }>('select value from server_state')).rows.map(({ value }) => value).join();
  } finally {
    await client.end();
  }
}

test("two servers that start at once on an empty database agree on certificates and token, and see each other's leases", async () => {
  const servers = [start(), start()];
  const [first = '', second = ''] = await Promise.all(servers.map(({ run }) => run.ready()));
  const [one = '', two = ''] = servers.map(({ dataDir }) => dataDir);
  expect(secretsIn(one)).toEqual(secretsIn(two));
  await createLease(first, one, 'shared');
  // With the other server's credentials.
  expect(await leaseNames(second, one)).toEqual(['shared']);
  // A token issued by the other server works as long as its account exists.
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  expect((await ask(first + accounts, one, 'POST', { metadata: { name: 'robot' } })).status).toBe(201);
  const { body } = await ask(`${first}${accounts}/robot/token`, one, 'POST', {});
  const { token } = (JSON.parse(body) as { status: { token: string } }).status;
  const review = async () => {
    const answer = await ask(`${second}/apis/authentication.k8s.io/v1/tokenreviews`, one, 'POST', { spec: { token } });
    return (JSON.parse(answer.body) as { status: { authenticated?: boolean } }).status.authenticated ?? false;
  };
  expect(await review()).toBe(true);
  expect((await ask(`${first}${accounts}/robot`, one, 'DELETE')).status).toBe(200);
  while (await review()) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('DATABASE_URL and the PG* variables select the database', async () => {
  const byUrl = start();
  await createLease(await byUrl.run.ready(), byUrl.dataDir, 'kept');
  await byUrl.run.end('SIGTERM');
  const { username, password, hostname, port, pathname } = new URL(database.url);
  const byVariables = start([], {
    PGHOST: decodeURIComponent(hostname),
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
  });
  expect(await leaseNames(await byVariables.run.ready(), byVariables.dataDir)).toEqual(['kept']);
});

test('secrets in the database are encrypted, and another key does not open them', async () => {
  const keyFile = (text: string): string => {
    const file = path.join(base, `key-${text}`);
    writeFileSync(file, text);
    return `--secrets-key-file=${file}`;
  };
  const first = start([keyFile('one')]);
  await first.run.ready();
  const row = await stored();
  const [, authorityKey = '', , , token = ''] = secretsIn(first.dataDir);
  for (const secret of [token.trim(), authorityKey.split('\n')[1] ?? '']) {
    expect(row).not.toContain(secret);
    expect(Buffer.from(row, 'base64').includes(secret)).toBe(false);
  }
  const other = start([keyFile('two')]);
  expect(await other.run.ended).toBe(1);
  expect(other.run.stderr).toMatch(/^error: the secrets shared in this database are encrypted with another key.*secrets rekey/m);

  const rekey = (...flags: string[]) => runCommand(['secrets', 'rekey', '--database-url', database.url, '-o', 'json', ...flags]);
  const states = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
  const locked = await rekey(keyFile('two'));
  expect([locked.code, states(locked)]).toEqual([1, ['locked', 'locked']]);
  expect(states(await rekey(keyFile('two'), `--old-key-file=${path.join(base, 'key-one')}`))).toEqual(['sealed anew', 'sealed anew']);
  expect(states(await rekey(keyFile('three'), `--copies=${path.join(first.dataDir, 'certs')}`))).toEqual(['sealed anew', 'sealed anew']);
  expect(states(await rekey(keyFile('three')))).toEqual(['unchanged', 'unchanged']);
  const after = start([keyFile('three')]);
  await after.run.ready();
  expect(secretsIn(after.dataDir)).toEqual(secretsIn(first.dataDir));
  await after.run.end('SIGTERM');
  await rekey('--new', keyFile('three'));
  const anew = start([keyFile('four')]);
  await anew.run.ready();
  expect(secretsIn(anew.dataDir)).not.toEqual(secretsIn(first.dataDir));
});

test('the first use of a key re-encrypts secrets that were encrypted under the database password', async () => {
  const first = start();
  await first.run.ready();
  const before = await stored();
  const file = path.join(base, 'first-key');
  writeFileSync(file, 'first');
  const second = start([`--secrets-key-file=${file}`]);
  await second.run.ready();
  expect(secretsIn(second.dataDir)).toEqual(secretsIn(first.dataDir));
  expect(await stored()).not.toBe(before);
  await second.run.end('SIGTERM');
  const without = start();
  expect(await without.run.ended).toBe(1);
});

test('a custom serving certificate is used and trusted by the kubeconfig', async () => {
  const first = start();
  await first.run.ready();
  const certs = path.join(first.dataDir, 'certs');
  const own = start([`--tls-cert-file=${certs}/apiserver.crt`, `--tls-private-key-file=${certs}/apiserver.key`]);
  const url = await own.run.ready();
  expect((await ask(`${url}/readyz`, own.dataDir)).status).toBe(200);
  const kubeconfig = JSON.parse(readFileSync(path.join(own.dataDir, 'admin.kubeconfig'), 'utf8')) as {
    clusters: { cluster: Record<string, string> }[];
  };
  const trusted = Buffer.from(kubeconfig.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  expect(trusted).toBe(readFileSync(path.join(certs, 'apiserver.crt'), 'utf8'));
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rowsOf } from '../../support/connected.js';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/test-database.js';
import { runCommand } from '../cli/run-command.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { type RunOptions, ask, createLease, leaseNames, ServerRun } from './server-run.js';

const base = scratchDirectory();
let count = 0;
const database = forAllTests(() => createTestDatabase());

interface Started {
  readonly run: ServerRun;
  readonly dataDir: string;
}

function start(flags: readonly string[] = [], options: RunOptions = {}): Started {
  const dataDir = path.join(base, `data-${count++}`);
  const run = new ServerRun(['--secure-port=0', `--data-dir=${dataDir}`, ...flags], {
    environment: { DATABASE_URL: database.url },
    ...options,
  });
  return { run, dataDir };
}

const SECRETS = ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'admin-token', 'sa.key'];
const secretsIn = (dataDir: string): string[] => SECRETS.map((name) => readFileSync(path.join(dataDir, 'certs', name), 'utf8'));

async function stored(): Promise<string> {
  return (await rowsOf<{ value: string }>(database.url, 'select value from server_state')).map(({ value }) => value).join();
}

describe('two servers that start at once on an empty database', () => {
  let first: Started;
  let second: Started;
  beforeAll(async () => {
    const { username, password, hostname, port, pathname } = new URL(database.url);
    const variables = {
      PGHOST: decodeURIComponent(hostname),
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
    };
    first = start([], { throughout: true });
    second = start([], { throughout: true, environment: variables });
    await Promise.all([first.run.ready(), second.run.ready()]);
  });

  test("agree on certificates and token, and see each other's leases, by DATABASE_URL and by the PG* variables", async () => {
    expect(secretsIn(first.dataDir)).toEqual(secretsIn(second.dataDir));
    await createLease(await first.run.ready(), first.dataDir, 'shared');
    // With the other server's credentials.
    expect(await leaseNames(await second.run.ready(), first.dataDir)).toEqual(['shared']);
  });

  test("accept each other's tokens of a service account as long as it exists", async () => {
    const accounts = `${await first.run.ready()}/api/v1/namespaces/default/serviceaccounts`;
    expect((await ask(accounts, first.dataDir, 'POST', { metadata: { name: 'robot' } })).status).toBe(201);
    const { body } = await ask(`${accounts}/robot/token`, first.dataDir, 'POST', {});
    const { token } = (JSON.parse(body) as { status: { token: string } }).status;
    const reviews = `${await second.run.ready()}/apis/authentication.k8s.io/v1/tokenreviews`;
    const review = async () => {
      const answer = await ask(reviews, first.dataDir, 'POST', { spec: { token } });
      return (JSON.parse(answer.body) as { status: { authenticated?: boolean } }).status.authenticated ?? false;
    };
    expect(await review()).toBe(true);
    expect((await ask(`${accounts}/robot`, first.dataDir, 'DELETE')).status).toBe(200);
    await eventually(async () => !(await review()));
  });

  test('leave a third one its own serving certificate, which its kubeconfig trusts', async () => {
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

  describe('encrypt their secrets', () => {
    const keyFile = (text: string): string => {
      const file = path.join(base, `key-${text}`);
      writeFileSync(file, text);
      return `--secrets-key-file=${file}`;
    };

    test('under the database password, and anew at the first use of a key', async () => {
      const before = await stored();
      const keyed = start([keyFile('one')]);
      await keyed.run.ready();
      expect(secretsIn(keyed.dataDir)).toEqual(secretsIn(first.dataDir));
      expect(await stored()).not.toBe(before);
      await keyed.run.end('SIGTERM');
      expect(await start().run.ended).toBe(1);
    });

    test('so that another key does not open them, and secrets rekey changes the key', async () => {
      const row = await stored();
      const [, authorityKey = '', , , token = ''] = secretsIn(first.dataDir);
      for (const secret of [token.trim(), authorityKey.split('\n')[1] ?? '']) {
        expect(row).not.toContain(secret);
        expect(Buffer.from(row, 'base64').includes(secret)).toBe(false);
      }
      const other = start([keyFile('two')]);
      expect(await other.run.ended).toBe(1);
      expect(other.run.stderr).toMatch(/^error: the secrets shared in this database are encrypted with another key.*secrets rekey/m);

      const doctor = async (...flags: string[]) => {
        const { stdout } = await runCommand(['doctor', '--database-url', database.url, '-o', 'json', ...flags]);
        const all = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
        return all.find(({ check }) => check === 'secrets');
      };
      expect(await doctor(keyFile('one'))).toMatchObject({ state: 'ok' });
      expect((await doctor(keyFile('two')))?.detail).toMatch(/^the key in --secrets-key-file does not open/);
      expect((await doctor())?.detail).toMatch(/^the database password.* does not open/);
      expect((await doctor())?.state).toBe('problem');
      expect(await doctor(keyFile('two'), `--cert-dir=${path.join(first.dataDir, 'certs')}`)).toMatchObject({ state: 'ok' });

      const rekey = (...flags: string[]) => runCommand(['secrets', 'rekey', '--database-url', database.url, '-o', 'json', ...flags]);
      const states = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
      const locked = await rekey(keyFile('two'));
      expect([locked.code, states(locked)]).toEqual([1, ['locked', 'locked']]);
      expect(states(await rekey(keyFile('two'), `--old-key-file=${path.join(base, 'key-one')}`))).toEqual(['re-encrypted', 're-encrypted']);
      expect(states(await rekey(keyFile('three'), `--copies=${path.join(first.dataDir, 'certs')}`))).toEqual([
        're-encrypted',
        're-encrypted',
      ]);
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
  });
});

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { KUBECTL, describeWith } from '../../clients/toolchain.js';
import { rowsOf } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { startPostgresByFiles } from '../../support/postgres-by-files.js';
import { PrimaryWithStandby } from '../../support/primary-with-standby.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';
import { runCommand } from './run-command.js';

/* As lines-to-copy.test.ts, for lines that need a standby, a restart of PostgreSQL, or kubectl. */

const scratch = scratchDirectory();
const hasPsql = spawnSync('psql', ['--version']).status === 0;

/** What doctor says of a check, and the lines that it prints. */
async function doctor(url: string, check: string): Promise<{ detail: string; lines: string[] }> {
  const { stdout } = await runCommand(['doctor', '--database-url', url, '--data-dir', path.join(scratch, 'none')]);
  const [table = '', after = ''] = stdout.split('What may help:');
  const detail = new RegExp(`^${check} +(.*)$`, 'm').exec(table)?.[1] ?? '';
  return {
    detail,
    lines: [...after.matchAll(/^ {2}(psql .*)$/gm)]
      .map(([, line = '']) => line)
      .filter((line) => /alter (system|role|database)|pg_reload/.test(line)),
  };
}

function run(line: string, url?: string): void {
  const { password } = new pg.Client(url);
  const environment = { ...process.env, ...(url !== undefined && { PGPASSWORD: password ?? '' }) };
  const { status, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', cwd: scratch, env: environment });
  expect([line, status, stderr]).toEqual([line, 0, expect.any(String)]);
}

(hasPsql ? test : test.skip)('the lines about replication make a standby synchronous', async () => {
  await using cluster = await PrimaryWithStandby.start();
  await rowsOf(cluster.url, 'alter system reset synchronous_standby_names');
  await rowsOf(cluster.url, 'select pg_reload_conf()');
  const found = await eventually(async () => {
    const told = await doctor(cluster.url, 'replication');
    return told.detail.includes('1 standbys, none synchronous') && told;
  });
  expect(found.lines).toHaveLength(2);
  for (const line of found.lines) run(line, cluster.url);
  await eventually(async () => /ok +1 standbys, synchronous: /.test((await doctor(cluster.url, 'replication')).detail));
});

(hasPsql ? test : test.skip)(
  'the lines about connections raise their limit with the next start, and a missing standby is not made up for',
  async () => {
    const few = path.join(scratch, 'few');
    {
      await using postgres = await startPostgresByFiles(few);
      await rowsOf(postgres.url(), 'alter system set max_connections = 20');
    }
    {
      await using postgres = await startPostgresByFiles(few);
      const held = await Promise.all(Array.from({ length: 14 }, () => connect(postgres.url())));
      const { detail, lines } = await doctor(postgres.url(), 'connections');
      expect(detail).toMatch(/^warning +\d+ of 20$/);
      for (const line of lines) run(line, postgres.url());
      await Promise.all(held.map((client) => client.end()));
    }
    await using postgres = await startPostgresByFiles(few);
    expect((await doctor(postgres.url(), 'connections')).detail).toMatch(/^ok +\d+ of 40$/);
    await rowsOf(postgres.url(), `alter system set synchronous_standby_names = 'gone'`);
    await rowsOf(postgres.url(), 'select pg_reload_conf()');
    await eventually(async () => (await doctor(postgres.url(), 'replication')).detail.includes('writes wait for one of gone: start it'));
    expect((await doctor(postgres.url(), 'replication')).lines).toEqual([]);
  },
);

const psqlTest = hasPsql ? test : test.skip;

psqlTest('the lines about durability switch on what the files of PostgreSQL switch off', async () => {
  await using postgres = await startPostgresByFiles(path.join(scratch, 'by-files'));
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    await rowsOf(postgres.url(), `alter system set ${setting} = off`);
    await rowsOf(postgres.url(), 'select pg_reload_conf()');
    const { detail, lines } = await eventually(async () => {
      const told = await doctor(postgres.url(), 'durability');
      return told.detail.startsWith('problem') && told;
    });
    expect(detail).toMatch(new RegExp(`^problem +${setting} off: acknowledged writes can be lost$`));
    for (const line of lines) run(line, postgres.url());
    await eventually(async () => /^ok +synchronous_commit is on$/.test((await doctor(postgres.url(), 'durability')).detail));
  }
});

psqlTest('the lines about replication have commits wait for the standby, whoever set that they do not', async () => {
  await using postgres = await startPostgresByFiles(path.join(scratch, 'local'));
  // a walsender counts as a standby before it is asked for anything
  const standby = await connect(postgres.url(), { replication: 'true' });
  await rowsOf(postgres.url(), `alter system set synchronous_standby_names = '*'`);
  for (const set of ['system', 'role coordination', 'role all', 'role coordination in database postgres']) {
    await rowsOf(
      postgres.url(),
      `${set === 'system' ? '' : 'set synchronous_commit = local; '}alter ${set} set synchronous_commit = local`,
    );
    await rowsOf(postgres.url(), 'select pg_reload_conf()');
    const { lines } = await eventually(async () => {
      const told = await doctor(postgres.url(), 'replication');
      return told.detail.includes('synchronous_commit is local') && told;
    });
    expect([set, lines.length]).toEqual([set, set === 'system' ? 2 : 1]);
    for (const line of lines) run(line, postgres.url());
    await eventually(async () => /^ok +1 standbys, synchronous: /.test((await doctor(postgres.url(), 'replication')).detail));
  }
  await standby.end();
});

async function connect(url: string, options: { replication?: string } = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

describeWith([KUBECTL], 'doctor lease', () => {
  const server = forAllTests(() => startServerProcess());
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

  test.each([
    ['a clock that is ahead by years', { leaseDurationSeconds: 15, renewTime: '2099-01-01T00:00:00.000000Z' }],
    ['a duration of years', { leaseDurationSeconds: 2_000_000_000, renewTime: '2026-01-02T00:00:00.000000Z' }],
  ])('prints a line that frees a lease pinned by %s', async (_, spec) => {
    const name = `pinned-${spec.leaseDurationSeconds}`;
    await ask(`${server.url}${leases}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'p', ...spec } } });
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    const diagnose = () => runCommand(['doctor', 'lease', name, '--kubeconfig', kubeconfig]);
    const { code, stdout } = await diagnose();
    const line = /^ *(kubectl patch lease .*)$/m.exec(stdout)?.[1] ?? '';
    expect([code, line]).toEqual([2, expect.stringContaining(name)]);
    run(`export KUBECONFIG='${kubeconfig}'; ${line}`);
    expect((await diagnose()).stdout).toContain('nobody holds the lease: whoever asks next gets it');
    const next = { holderIdentity: 'next', leaseDurationSeconds: 15, renewTime: new Date().toISOString().replace('Z', '000Z') };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await ask(`${server.url}${leases}/${name}`, { method: 'PATCH', headers, body: { spec: next } });
    const after = await diagnose();
    expect(after).toMatchObject({ code: 0 });
    expect(after.stdout).not.toContain('kubectl patch');
  });
});

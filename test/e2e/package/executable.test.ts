import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findPostgresBinaries } from '../../../src/server/embedded-postgres/postgres-programs.js';
import { mustRun } from '../../clients/run-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { type TestDatabase, createEmptyDatabase, createTestDatabase } from '../../support/test-database.js';
import { ask } from '../lifecycle/server-run.js';

const root = path.resolve(import.meta.dirname, '../../..');
const platform = `${process.platform}-${process.arch}`;
const isMade = process.platform === 'linux' && existsSync(path.join(root, 'node_modules/.bin/postject'));

(isMade ? describe : describe.skip)('the program as one file', () => {
  const dir = scratchDirectory();
  const program = path.join(dir, 'coordination-apiserver');
  const dataDir = path.join(dir, 'data');
  // Nothing else is found, Node.js least of all.
  const environment = { PATH: '/nowhere', HOME: dir };
  const run = (...args: string[]) => mustRun(program, args, { cwd: dir, env: environment });
  // The guard of a command is a shell that looks for other programs.
  const runWithShell = (...args: string[]) => mustRun(program, args, { cwd: dir, env: { ...environment, PATH: '/usr/bin:/bin' } });
  let database: TestDatabase;
  let server: ChildProcess;
  let output = '';
  let url = '';

  beforeAll(async () => {
    // As root, PostgreSQL runs under another account, which needs access to its programs.
    chmodSync(dir, 0o755);
    const pack = `const { packExecutable } = await import(process.argv[1]); console.log(await packExecutable(...process.argv.slice(2)));`;
    const args = ['--input-type=module', '-e', pack, path.join(root, 'scripts/release/executable.mjs'), platform, program];
    expect(await mustRun(process.execPath, args, { cwd: root })).toContain('undefined');
    database = await createTestDatabase();
    const flags = ['--bind-address=127.0.0.1', '--secure-port=0', `--data-dir=${dataDir}`, `--database-url=${database.url}`, '--workers=2'];
    server = start(flags);
    url = await served();
  }, 180_000);
  afterAll(async () => {
    await end(server);
    await database.drop();
  });

  function start(flags: readonly string[]): ChildProcess {
    output = '';
    const child = spawn(program, ['serve', ...flags], { cwd: dir, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return child;
  }

  async function served(): Promise<string> {
    for (;;) {
      const found = /serving at (https:\S+)[^]*kubectl/.exec(output)?.[1];
      if (found !== undefined) return found;
      if (server.exitCode !== null) throw new Error(`it did not start:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  test('is less than 160 MB large, and starts without Node.js', async () => {
    expect(statSync(program).size).toBeLessThan(160_000_000);
    expect(JSON.parse(await run('version', '-o', 'json'))).toMatchObject({ node: process.version });
  });

  test('serves with several workers, the pages included', async () => {
    const leases = await ask(`${url}/apis/coordination.k8s.io/v1/leases`, dataDir);
    expect([leases.status, JSON.parse(leases.body)]).toEqual([200, expect.objectContaining({ kind: 'LeaseList' })]);
    const page = await ask(`${url}/ui/`, dataDir);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('<!doctype html>')]);
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.body)?.[1] ?? '';
    expect((await ask(`${url}/ui/${script}`, dataDir)).status).toBe(200);
    expect((await ask(`${url}/swagger/swagger-ui.css`, dataDir)).status).toBe(200);
  });

  test('has the commands: lock, leases, health, migrate, doctor, backup and restore', async () => {
    const kubeconfig = `--kubeconfig=${path.join(dataDir, 'admin.kubeconfig')}`;
    expect(await runWithShell('lock', 'one', kubeconfig, '--', '/bin/echo', 'held')).toBe('held\n');
    expect(await run('leases', kubeconfig)).toContain('default/one');
    expect(await run('health', `--data-dir=${dataDir}`)).toContain('ok');
    expect(await run('migrate', 'status', `--database-url=${database.url}`)).toMatch(/0001_baseline\s+applied/);
    await run('backup', 'leases.backup.gz', `--database-url=${database.url}`);
    const other = await createEmptyDatabase();
    try {
      await run('migrate', 'up', `--database-url=${other.url}`);
      await run('restore', 'leases.backup.gz', `--database-url=${other.url}`);
      const { stdout } = spawnSync(program, ['doctor', '-o', 'json', `--database-url=${other.url}`], {
        cwd: dir,
        env: environment,
        encoding: 'utf8',
      });
      expect(JSON.parse(stdout)).toEqual(expect.arrayContaining([expect.objectContaining({ check: 'migrations', state: 'ok' })]));
    } finally {
      await other.drop();
    }
  });

  test('prints itself in commands to copy', async () => {
    expect(await run('doctor', '--help')).toContain(`\n  ${program} doctor\n`);
  });

  test('runs the PostgreSQL that lies beside it, and says what is missing without one', async () => {
    const flags = ['--bind-address=127.0.0.1', '--secure-port=0', `--data-dir=${path.join(dir, 'embedded')}`];
    await end(server);
    server = start(flags);
    await once(server, 'exit');
    expect(output).toMatch(/error: no embedded PostgreSQL for \S+: pass --database-url to use another PostgreSQL\n$/);
    const native = path.dirname(path.dirname(findPostgresBinaries().postgres));
    mkdirSync(path.join(dir, 'postgresql'));
    cpSync(native, path.join(dir, 'postgresql'), { recursive: true, verbatimSymlinks: true });
    server = start(flags);
    const address = await served();
    expect((await ask(`${address}/apis/coordination.k8s.io/v1/leases`, path.join(dir, 'embedded'))).status).toBe(200);
  });
});

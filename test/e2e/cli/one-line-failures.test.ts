import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { startOldPostgres } from '../../support/old-postgres.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';
import { UNUSED_FOLDER } from '../../support/unused-folder.js';
import { failureOf, runCommand } from './run-command.js';

/*
 * What a user can cure is told in one line, with the file or the server and what to do; never with a stack.
 */

const scratch = scratchDirectory();
const server = forAllTests(() => startServerProcess());
const old = forAllTests(async () => {
  const { server: stub, url } = await startOldPostgres('130022');
  return { url, [Symbol.asyncDispose]: () => Promise.resolve(void stub.close()) };
});

const kubeconfig = (name: string, change: (text: string) => string): string => {
  const file = path.join(scratch, name);
  writeFileSync(file, change(readFileSync(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8')));
  return file;
};

test('a certificate that is garbage', async () => {
  const dir = path.join(scratch, 'certs');
  cpSync(path.join(server.dataDir, 'certs'), dir, { recursive: true });
  const file = path.join(dir, 'apiserver.crt');
  writeFileSync(file, 'garbage');
  expect(await failureOf(['certs', '--cert-dir', dir])).toMatch(
    new RegExp(`^error: cannot read the certificate ${file}: .+: stop the server, remove it and apiserver.key, and start the server`),
  );
  const doctor = await runCommand(['doctor', '-o', 'json', '--database-url', server.databaseUrl, '--cert-dir', dir]);
  expect(doctor.code).toBe(2);
  expect(JSON.parse(doctor.stdout)).toContainEqual(expect.objectContaining({ check: 'certificates', state: 'problem' }));
});

test.each([['leases'], ['history', 'default/x'], ['who-led', 'default/x']])(
  'a token that the server does not know: %s',
  async (...args) => {
    const file = kubeconfig('token', (text) => text.replace(/"token": *"[^"]*"/, '"token": "of-another-server"'));
    expect(await failureOf([...args, '--kubeconfig', file])).toMatch(
      new RegExp(
        `^error: cannot .*: 401 Unauthorized \\(the credentials are of another server, or have expired: .*; the kubeconfig is ${file}$`,
      ),
    );
  },
);

test('an authority of another server', async () => {
  await using other = await startServerProcess();
  const authority = Buffer.from(readFileSync(path.join(other.dataDir, 'certs/ca.crt'))).toString('base64');
  const file = kubeconfig('authority', (text) => text.replace(/(authority-data": *)"[^"]*"/, `$1"${authority}"`));
  expect(await failureOf(['leases', '--kubeconfig', file])).toMatch(
    new RegExp(
      `^error: cannot reach ${server.url}: .*: its certificate is not from the authority in the kubeconfig, .*; the kubeconfig is ${file}$`,
    ),
  );
  const lock = await runCommand(['lock', 'x', '--wait=1s', '--kubeconfig', file, '--', 'true']);
  expect([lock.code, lock.stderr]).toEqual([
    69,
    expect.stringMatching(/^coordination-apiserver lock: .*its certificate is not from the authority in the kubeconfig, [^\n]*\n$/),
  ]);
});

test('an output that is full', () => {
  const line = `'${process.execPath}' '${PROGRAM}' backup - --database-url '${server.databaseUrl}' > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: UNUSED_FOLDER, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: cannot write the output: ENOSPC: .*: its disk is full: free some space,.*\n$/),
  ]);
});

/** Mounts a file system for the time of the work. */
async function mounted(name: string, options: string, work: (dir: string) => Promise<void>): Promise<void> {
  const dir = path.join(scratch, name);
  mkdirSync(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir]);
  try {
    await work(dir);
  } finally {
    execFileSync('umount', [dir]);
  }
}

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a disk that is full under a backup', () =>
  mounted('full', 'size=4k', async (dir) => {
    const file = path.join(dir, 'x.backup');
    expect(await failureOf(['backup', file, '--database-url', server.databaseUrl])).toMatch(
      new RegExp(`^error: cannot write ${file}: ENOSPC: .*: its disk is full: free some space, or name another place$`),
    );
  }),
);

asRoot('a file system that is read-only', () =>
  mounted('read-only', 'size=4k,ro', async (dir) => {
    const remedy = 'its file system is read-only: mount it to be written, or name another place$';
    for (const args of [
      ['backup', path.join(dir, 'x'), '--database-url', server.databaseUrl],
      ['--secure-port=0', '--data-dir', dir],
    ]) {
      expect(await failureOf(args)).toMatch(new RegExp(`^error: .*EROFS: .*'${dir}/.*: ${remedy}`));
    }
  }),
);

test.each([['doctor'], ['verify'], ['backup', '-'], ['migrate', 'status'], ['--secure-port=0']])('PostgreSQL 13: %s', async (...args) => {
  expect(await failureOf([...args, '--data-dir', path.join(scratch, 'none'), '--database-url', old.url])).toMatch(
    /^error: PostgreSQL 13 is too old: version 14 or newer is required$/,
  );
});

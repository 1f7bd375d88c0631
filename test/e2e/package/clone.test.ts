import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { startServerProcess } from '../../support/server-process.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { ServerRun } from '../lifecycle/server-run.js';

const root = path.resolve(import.meta.dirname, '../../..');
const scratch = scratchDirectory();
const clone = path.join(scratch, "a user's clone");
const script = path.join(clone, 'coordination-apiserver');
const at = (...parts: string[]) => path.join(clone, ...parts);

/** A clone whose program prints what it was started with. */
beforeAll(() => {
  const sources = ['src', 'packages/kube-client/src', 'packages/lease-lock/src', 'packages/lease-mcp/src'];
  for (const folder of ['dist', 'node_modules/.bin', ...sources]) mkdirSync(at(folder), { recursive: true });
  cpSync(path.join(root, 'coordination-apiserver'), script);
  writeFileSync(at('package.json'), '{ "type": "module" }');
  writeFileSync(
    at('dist/main.js'),
    'console.log(JSON.stringify([process.execPath, process.pid, process.cwd(), ...process.argv.slice(2)]))',
  );
  writeFileSync(at('src/main.ts'), '');
  utimesSync(at('src/main.ts'), 1, 1);
  symlinkSync(process.execPath, at('node_modules/.bin/node'));
});

/** Runs a line as cron does, whose PATH has no Node.js of its own. */
function run(line: string, cwd = scratch) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test.each([
  ['in the clone', () => [clone, './coordination-apiserver'] as const],
  ['elsewhere, by its path', () => [scratch, `"${script}"`] as const],
  ['by a link on the PATH', () => [scratch, 'PATH=$PATH:$PWD/bin coordination-apiserver'] as const],
])("the script of a clone starts its program with the clone's Node.js: %s", (_, of) => {
  const [cwd, call] = of();
  mkdirSync(path.join(scratch, 'bin'), { recursive: true });
  rmSync(path.join(scratch, 'bin/coordination-apiserver'), { force: true });
  symlinkSync(script, path.join(scratch, 'bin/coordination-apiserver'));
  // One process: signals reach the program.
  const { stdout, stderr, status } = run(`echo $$; exec ${call} lock 'a b' -- "*"`.replace('exec PATH=', 'PATH='), cwd);
  const [shell, started = ''] = stdout.split('\n');
  const [node, pid, ...others] = JSON.parse(started) as [string, number, ...string[]];
  expect([node, ...others, stderr, status]).toEqual([process.execPath, cwd, 'lock', 'a b', '--', '*', '', 0]);
  if (!call.startsWith('PATH=')) expect(pid).toBe(Number(shell));
});

test('the script says how to build what is not built, and what has been edited since', () => {
  writeFileSync(at('packages/lease-mcp/src/new.spec.ts'), '');
  expect(run(`"${script}"`).stderr).toBe('');
  writeFileSync(at('packages/lease-mcp/src/new.ts'), '');
  utimesSync(at('packages/lease-mcp/src/new.ts'), 4e9, 4e9);
  const edited = run(`"${script}"`);
  expect([edited.status, edited.stderr]).toEqual([
    0,
    expect.stringMatching(/^coordination-apiserver: \S+\/new\.ts is newer than the build; run: .* --prefix .* run build\n$/),
  ]);
  rmSync(at('dist/main.js'));
  const unbuilt = run(`"${script}"`);
  expect([unbuilt.status, unbuilt.stdout, unbuilt.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^coordination-apiserver: not built yet; run: .* --prefix .* ci\n$/),
  ]);
  // The line works, whatever the name of the directory.
  const [, line = ''] = /run: (.*)\n/.exec(unbuilt.stderr) ?? [];
  writeFileSync(path.join(scratch, 'bin/npm'), '#!/bin/sh\necho "$2 $3"\n');
  chmodSync(path.join(scratch, 'bin/npm'), 0o755);
  expect(run(`PATH=$PWD/bin:$PATH; ${line}`).stdout).toBe(`${clone} ci\n`);
});

test('the script knows every folder that is bundled', () => {
  const folders = (file: string) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?<![\w/.])(?:src|packages\/[\w-]+\/src)(?=[' ])/g)].map(
      ([folder]) => folder,
    );
  const [sources = ''] = /const SOURCES = [^;]*/.exec(readFileSync(path.join(root, 'scripts/build-program.mjs'), 'utf8')) ?? [];
  expect(sources).toContain("'src'");
  for (const folder of new Set([
    ...folders('coordination-apiserver'),
    ...[...sources.matchAll(/'((?:packages\/[\w-]+\/)?src)'/g)].map(([, name]) => name),
  ])) {
    expect(folders('coordination-apiserver')).toContain(folder);
    expect(sources).toContain(`'${folder}'`);
  }
});

test('the script of this clone runs the program', () => {
  const { status, stdout } = run(`"${path.join(root, 'coordination-apiserver')}" version -o json`);
  expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ version: expect.any(String) })]);
});

test('programs under test run where no server of the clone has left its data', async () => {
  const folder = path.join(root, 'node_modules/.cache/unused');
  expect(readdirSync(folder)).toEqual([]);
  await using server = await startServerProcess();
  const command = new ServerRun(['verify', '--database-url', server.databaseUrl]);
  expect([server.pid, command.child.pid].map((pid) => readlinkSync(`/proc/${pid}/cwd`))).toEqual([folder, folder]);
});

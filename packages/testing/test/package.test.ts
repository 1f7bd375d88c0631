import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mustRun } from '../../../test/clients/run-program.js';

const here = path.resolve(import.meta.dirname, '..');
const root = path.resolve(here, '../..');
let dir: string;

/** Packs and installs this package, and what its examples use, into an empty folder. */
beforeAll(async () => {
  await mustRun(process.execPath, [path.join(here, 'build.mjs')], { cwd: root });
  await mustRun('npm', ['run', '--silent', 'build', '--workspace', 'packages/leader-election'], { cwd: root });
  dir = mkdtempSync(path.join(tmpdir(), 'testing-package-'));
  const pack = async (name: string) =>
    path.join(
      dir,
      (
        await mustRun('npm', ['pack', '--silent', '--ignore-scripts', `--pack-destination=${dir}`], {
          cwd: path.join(root, 'packages', name),
        })
      ).trim(),
    );
  const packed = [await pack('testing'), await pack('leader-election')];
  writeFileSync(path.join(dir, 'package.json'), '{ "type": "module" }');
  await mustRun('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', ...packed], { cwd: dir });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('installs nothing else, and takes less than 15 MB', () => {
  const own = path.join(dir, 'node_modules/@coordination-apiserver');
  expect(readdirSync(path.join(dir, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@coordination-apiserver']);
  const files = readdirSync(path.join(own, 'testing'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(15_000_000);
});

test('serves the whole API in a process, with the dashboard', async () => {
  writeFileSync(
    path.join(dir, 'serve.js'),
    `import https from 'node:https';
     import { startTestServer } from '@coordination-apiserver/testing';
     const server = await startTestServer({ flags: { 'authorization-mode': 'RBAC' } });
     const get = (path) => new Promise((resolve, reject) => https.get(server.url + path, { agent: false, ca: server.authority,
       headers: { authorization: 'Bearer ' + server.token } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject));
     for (const path of ['/apis', '/ui/', '/swagger', '/openapi/v3', '/apis/rbac.authorization.k8s.io/v1/clusterroles', '/metrics'])
       console.log(path, await get(path));
     await server.close();`,
  );
  const paths = ['/apis', '/ui/', '/swagger', '/openapi/v3', '/apis/rbac.authorization.k8s.io/v1/clusterroles', '/metrics'];
  expect(await mustRun(process.execPath, ['serve.js'], { cwd: dir })).toBe(paths.map((each) => `${each} 200\n`).join(''));
});

test('runs as a program', async () => {
  const program = path.join(dir, 'node_modules/.bin/lease-test-server');
  const child = spawn(program, ['--kubeconfig-out=kubeconfig'], { cwd: dir, stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(line.toString()).toMatch(/^test server ready at https:\/\/127\.0\.0\.1:\d+ with kubeconfig kubeconfig\n$/);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('types name every order', async () => {
  writeFileSync(
    path.join(dir, 'types.ts'),
    `import { startTestServer } from '@coordination-apiserver/testing';
     import type { LeaseHolder, TestServer } from '@coordination-apiserver/testing';
     const server: TestServer = await startTestServer({ port: 0 });
     const held: LeaseHolder = await server.takeOver({ name: 'a' });
     // @ts-expect-error -- no such status
     await server.addFault({ status: 418 });
     console.log(held.holder, (await server.moveClock('20s')).ahead);`,
  );
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  await mustRun(tsc, ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', 'types.ts'], { cwd: dir });
});

test('examples/leader-election.test.mjs passes', async () => {
  cpSync(path.join(here, 'examples'), dir, { recursive: true });
  await mustRun(process.execPath, ['--test', 'leader-election.test.mjs'], { cwd: dir });
});

test('examples/lease.test.mjs passes with jest', async () => {
  cpSync(path.join(here, 'examples'), dir, { recursive: true });
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  await mustRun(process.execPath, ['--experimental-vm-modules', jest, '--rootDir', dir, '--testMatch', '**/lease.test.mjs'], { cwd: dir });
});

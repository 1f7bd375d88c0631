import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mustRun } from '../../clients/run-program.js';
import { ask } from '../lifecycle/server-run.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** Takes away what configures a server, or is told by the npm that runs this test. */
const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(DATABASE_URL$|PG|COORDINATION_|NODE_OPTIONS$|npm_|INIT_CWD$)/.test(name))
    .map((name) => [name, undefined]),
);

let dir: string;
let packed: { readonly filename: string; readonly unpackedSize: number; readonly files: readonly { readonly path: string }[] };
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'npm-package-'));
  // As root, PostgreSQL runs as another account, which has to get at its programs.
  chmodSync(dir, 0o755);
  // The build is that of the suites; without scripts, so that it stays.
  const output = await mustRun('npm', ['pack', '--ignore-scripts', '--json', `--pack-destination=${dir}`], { cwd: root });
  packed = (JSON.parse(output) as [typeof packed])[0];
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the npm package has the program, its migrations and its papers, and no sources or tests', () => {
  const files = packed.files.map((file) => file.path);
  expect(new Set(files.map((file) => file.split('/')[0]))).toEqual(
    new Set(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'migrations', 'package.json']),
  );
  expect(files).toEqual(
    expect.arrayContaining(['dist/main.js', ...readdirSync(path.join(root, 'migrations')).map((file) => `migrations/${file}`)]),
  );
  expect(files.filter((file) => file.startsWith('dist/') && !/^dist\/[\w/.-]+(?<!\.spec)\.js$/.test(file))).toEqual([]);
  expect(packed.unpackedSize).toBeLessThan(4_000_000);
});

/** Why nothing can be installed here. */
function whyNot(): string | undefined {
  const { status, stderr } = spawnSync('npm', ['view', 'commander', 'version'], { cwd: root, encoding: 'utf8', timeout: 20_000 });
  return status === 0 ? undefined : `no package registry answers (${/code (\w+)/.exec(stderr)?.[1] ?? 'timeout'})`;
}

const reason = whyNot();
if (reason !== undefined) describe('the installed npm package', () => test.skip(`skipped: ${reason}`, () => undefined));
else {
  describe('the installed npm package', () => {
    const npx = (...args: string[]) => mustRun('npx', ['--no-install', 'coordination-apiserver', ...args], { cwd: dir, env: environment });
    beforeAll(async () => {
      writeFileSync(path.join(dir, 'package.json'), '{ "private": true }');
      const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
      await mustRun('npm', ['install', ...options, path.join(dir, packed.filename)], { cwd: dir, env: environment });
    }, 300_000);

    test('brings what it needs, and nothing that only its development needs', () => {
      const installed = globSync('node_modules/{jest,typescript,@swc/core,@nestjs/cli}', { cwd: dir });
      expect(installed).toEqual([]);
    });

    test('tells its version by npx', async () => {
      const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
      expect(JSON.parse(await npx('version', '-o', 'json'))).toMatchObject({ version });
    });

    test('serves from a PostgreSQL of its own, hands out a kubeconfig, and stops by Ctrl-C', async () => {
      const args = ['--no-install', 'coordination-apiserver', 'serve', '--bind-address=127.0.0.1', '--secure-port=0', '--data-dir=data'];
      // A group of processes, as a shell makes one for each command.
      const server = spawn('npx', args, {
        cwd: dir,
        env: { ...process.env, ...environment },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = once(server, 'exit');
      let output = '';
      server.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const url = await new Promise<string>((resolve, reject) => {
        server.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          const found = /serving at (https:\S+)[^]*kubectl/.exec(output)?.[1];
          if (found !== undefined) resolve(found);
        });
        server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
      });
      try {
        const kubeconfig = JSON.parse(await npx('kubeconfig', '--data-dir=data')) as { clusters: { cluster: { server: string } }[] };
        expect(kubeconfig.clusters[0]?.cluster.server).toBe(url);
        const { status, body } = await ask(`${url}/apis/coordination.k8s.io/v1/namespaces/default/leases`, path.join(dir, 'data'));
        expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ kind: 'LeaseList' })]);
      } finally {
        process.kill(-(server.pid ?? 0), 'SIGINT');
        await exited;
      }
      expect(output).toContain('"stopping"');
    }, 120_000);
  });
}

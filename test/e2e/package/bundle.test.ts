import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { cleanEnvironment } from '../../support/clean-environment.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const root = path.dirname(path.dirname(PROGRAM));
const folder = scratchDirectory();
const installed = path.join(folder, 'installed');
const NOBODY = 65_534;

/** A program that has never run. */
beforeEach(() => {
  rmSync(installed, { recursive: true, force: true });
  rmSync(path.join(folder, 'cache'), { recursive: true, force: true });
  cpSync(path.dirname(PROGRAM), path.join(installed, 'dist'), { recursive: true, filter: (file) => path.basename(file) !== 'compiled' });
  cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'));
  mkdirSync(path.join(folder, 'cache'), { recursive: true });
});

function version(options: { nodeFlags?: readonly string[]; uid?: number } = {}) {
  const { nodeFlags = [], uid } = options;
  const env = { ...cleanEnvironment(), NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: path.join(folder, 'cache') };
  const args = [...nodeFlags, path.join(installed, 'dist/main.js'), 'version', '-o', 'json'];
  return spawnSync(process.execPath, args, { encoding: 'utf8', env, uid, gid: uid, cwd: '/' });
}

const compiled = () => path.join(installed, 'dist/compiled');
const cached = () => path.join(folder, 'cache/coordination-apiserver');

test('a stack names the sources', () => {
  const broken = "process.stdout.write = () => { throw new Error('made') }";
  const { stderr, status } = version({ nodeFlags: ['--import', `data:text/javascript,${broken}`] });
  expect(stderr).toMatch(/^error: Error: made\n/);
  expect(stderr).toContain(
    `at writeResult (src/cli/output/output-format.ts:${lineOf('src/cli/output/output-format.ts', 'process.stdout.write(')}:`,
  );
  expect(stderr).not.toContain('dist/');
  expect(status).toBe(1);
});

/** The first line of a source that has a text. */
function lineOf(file: string, text: string): number {
  return (
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

test("a command loads neither Node's fetch nor the server", () => {
  const loaded = "process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)))";
  const { stderr } = version({ nodeFlags: ['--import', `data:text/javascript,${loaded}`] });
  const modules = JSON.parse(stderr) as string[];
  expect(modules).toContain('NativeModule https');
  expect(modules.filter((name) => /undici|http2|NativeModule inspector$/.test(name))).toEqual([]);
});

test('the bundle is ASCII, of which V8 keeps one byte for each character', () => {
  const chunks = readdirSync(path.join(root, 'dist')).filter((file) => file.endsWith('.js'));
  expect(chunks.length).toBeGreaterThan(10);
  for (const chunk of chunks) {
    expect([chunk, /[^\0-\x7f]/.test(readFileSync(path.join(root, 'dist', chunk), 'utf8'))]).toEqual([chunk, false]);
  }
});

test('what was compiled is kept beside a program of the same user', () => {
  expect(version().status).toBe(0);
  expect(readdirSync(compiled())).toHaveLength(1);
  expect(existsSync(cached())).toBe(false);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot("in another user's installation what was compiled is kept in the user's own cache", () => {
  chownSync(path.join(installed, 'dist'), NOBODY, NOBODY);
  expect(version().status).toBe(0);
  expect(existsSync(compiled())).toBe(false);
  expect(readdirSync(cached())).toHaveLength(1);
});

asRoot('a user who may write nowhere runs it, with what an image has compiled', () => {
  chmodSync(folder, 0o755);
  mkdirSync(compiled());
  const { status, stdout, stderr } = version({ uid: NOBODY });
  expect([status, stderr, JSON.parse(stdout)]).toEqual([0, '', expect.objectContaining({ node: process.version })]);
  expect([readdirSync(compiled()), existsSync(cached())]).toEqual([[], false]);
});

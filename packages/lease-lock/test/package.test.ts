import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const root = path.resolve(import.meta.dirname, '..');
const env = { ...process.env, NODE_OPTIONS: '' };

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => void run('npm', 'run', '--silent', 'build'));

test('contains the program, the library and their documentation, and nothing else', () => {
  const packed = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts')) as Packed[] | Record<string, Packed>;
  const [{ files } = { files: [] }] = Object.values(packed);
  const paths = files.map(({ path: file }) => file);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json', 'dist/cli.js', 'dist/lease-lock.js']));
  const known = /^(dist\/(commonjs\/)?([a-z-]+\.js|package\.json|types\/[a-z/-]+\.d\.ts)|README\.md|LICENSE|package\.json)$/;
  expect(paths.filter((file) => !known.test(file))).toEqual([]);
});

test.each([
  [
    'import',
    ['--input-type=module', '--eval', `console.log(Object.keys(await import('@coordination-apiserver/lease-lock')).sort().join())`],
  ],
  ['require', ['--input-type=commonjs', '--eval', `console.log(Object.keys(require('@coordination-apiserver/lease-lock')).sort().join())`]],
])('can be loaded by %s', (_, args) => {
  expect(run(process.execPath, ...args)).toBe('LockError,acquireLock,databaseLeases,serverLeases,withLock\n');
});

test('contains everything that package.json points to', () => {
  const { bin, types, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    types: string;
    exports: { '.': Record<string, Record<string, string>> };
  };
  const files = [...Object.values(bin), types, ...Object.values(exports['.']).flatMap((ways) => Object.values(ways))];
  for (const file of files) expect([file, readFileSync(path.join(root, file), 'utf8').length]).not.toEqual([file, 0]);
});

test('runs on its own and shows its usage', () => {
  expect(run(process.execPath, 'dist/cli.js', '--help')).toMatch(/^Usage:\n {2}lease-lock lock NAME /);
});

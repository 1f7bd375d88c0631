import { appendFileSync, cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { scratchDirectory } from '../../support/scratch-directory.js';

const root = path.resolve(import.meta.dirname, '../../..');
const clone = path.join(scratchDirectory(), 'clone');
const at = (...parts: string[]) => path.join(clone, ...parts);

beforeAll(() => {
  for (const part of ['src', 'scripts', 'packages', 'package.json', '.swcrc']) {
    cpSync(path.join(root, part), at(part), { recursive: true, filter: (file) => !/\/(node_modules|dist|test)$/.test(file) });
  }
  symlinkSync(path.join(root, 'node_modules'), at('node_modules'));
});

function build(): string[] {
  const { status, stderr } = spawnSync(process.execPath, [at('scripts/build-program.mjs')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return readdirSync(at('dist'));
}

const chunks = (files: readonly string[]) => files.filter((file) => /-[\w-]{8}\.js$/.test(file));

test('a program that runs finds the chunks that it has not loaded yet after a build, but not after two', () => {
  const first = chunks(build());
  // A line of the program's is in another chunk then, and so are the names of all chunks that import it.
  appendFileSync(at('src/settings/start-error.ts'), '\nconsole.debug("edited once");\n');
  const second = chunks(build());
  expect(second).toEqual(expect.arrayContaining(first));
  expect(second.length).toBeGreaterThan(first.length);
  appendFileSync(at('src/settings/start-error.ts'), '\nconsole.debug("edited twice");\n');
  build();
  const changed = first.filter((chunk) => !existsSync(at('dist', chunk)));
  expect(changed.length).toBeGreaterThan(0);
  for (const chunk of second.filter((each) => !first.includes(each))) expect(existsSync(at('dist', chunk))).toBe(true);
});

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { scratchDirectory } from '../../support/scratch-directory.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SCRIPT = ['--import', './test/support/register-typescript.mjs', 'scripts/openapi.mjs'];
const run = (...args: string[]) => spawnSync(process.execPath, [...SCRIPT, ...args], { cwd: ROOT, encoding: 'utf8' });
const directory = scratchDirectory();

beforeAll(() => cpSync(path.join(ROOT, 'openapi'), directory, { recursive: true }));

test('the committed documents are those that the server serves', () => {
  expect(run('--check').stderr).toBe('');
});

test('changed, missing and superfluous documents are named and rewritten', () => {
  writeFileSync(path.join(directory, 'swagger.json'), '{}\n');
  rmSync(path.join(directory, 'v3/version.json'));
  writeFileSync(path.join(directory, 'v3/old.json'), '{}\n');
  const { status, stderr } = run('--check', directory);
  expect(status).toBe(1);
  for (const name of ['swagger.json', 'v3/version.json', 'v3/old.json']) expect(stderr).toContain(name);
  expect(run(directory).status).toBe(0);
  expect(run('--check', directory).status).toBe(0);
  expect(JSON.parse(readFileSync(path.join(directory, 'swagger.json'), 'utf8'))).toHaveProperty('openapi', '3.0.0');
});

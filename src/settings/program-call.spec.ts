import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asCalled, programCall } from './program-call.js';

let scratch: string;
const at = (...parts: string[]) => path.join(scratch, ...parts);
const install = (root: string) => {
  mkdirSync(at(root, 'dist'), { recursive: true });
  writeFileSync(at(root, 'dist/main.js'), '');
};
const link = (directory: string, root: string) => {
  mkdirSync(at(directory), { recursive: true });
  symlinkSync(at(root, 'dist/main.js'), at(directory, 'coordination-apiserver'));
};

beforeAll(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'program-call-'));
  for (const root of ['clone', 'app', "it's here", 'project/node_modules/coordination-apiserver', '.npm/_npx/1/node_modules/c']) {
    install(root);
  }
  link('bin', 'app');
  link('clone/node_modules/.bin', 'clone');
  link('project/node_modules/.bin', 'project/node_modules/coordination-apiserver');
  writeFileSync(at('clone/coordination-apiserver'), '');
});
afterAll(() => rmSync(scratch, { recursive: true }));

test.each([
  ['in an image or after a global installation: its name', 'app', '.', 'bin', 'coordination-apiserver'],
  ['in a clone: its script', 'clone', 'clone', 'bin', './coordination-apiserver'],
  ['in a clone, by npm start: its script', 'clone', 'clone', 'clone/node_modules/.bin', './coordination-apiserver'],
  ['where PATH leads to a clone: its name', 'clone', '.', 'clone', 'coordination-apiserver'],
  ['in a project that depends on it: npx', 'project/node_modules/coordination-apiserver', 'project', 'bin', 'npx coordination-apiserver'],
  ['by npx without an installation: npx', '.npm/_npx/1/node_modules/c', '.', 'bin', 'npx coordination-apiserver'],
])('%s', (_, root, cwd, bin, call) => {
  expect(programCall({ root: at(root), cwd: at(cwd), searchPath: `/nowhere::${at(bin)}` })).toBe(call);
});

test('outside of a clone: its script with the path', () => {
  expect(programCall({ root: at('clone'), cwd: scratch, searchPath: '' })).toBe(at('clone/coordination-apiserver'));
});

test('elsewhere: node with the file, quoted where the shell needs it', () => {
  expect(programCall({ root: at('app'), cwd: scratch, searchPath: '' })).toBe(`node ${at('app/dist/main.js')}`);
  expect(programCall({ root: at("it's here"), cwd: scratch, searchPath: '' })).toBe(`node '${scratch}/it'\\''s here/dist/main.js'`);
});

test('commands in a text are written as they are called, and names of files and packages are not', () => {
  const text = 'coordination-apiserver doctor --data-dir /var/lib/coordination-apiserver   # or: coordination-apiserver compact';
  expect(asCalled(text, 'npx x')).toBe('npx x doctor --data-dir /var/lib/coordination-apiserver   # or: npx x compact');
  const inContainer = 'docker compose exec apiserver coordination-apiserver kubeconfig';
  expect(asCalled(inContainer, 'npx x')).toBe(inContainer);
});

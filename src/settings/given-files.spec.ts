import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { isFileFailure, makeDirectory, systemFailure } from './given-files.js';
import { StartError } from './start-error.js';

{
  let scratch: string;
  beforeEach(() => void (scratch = mkdtempSync(path.join(tmpdir(), 'make-directory-'))));
  afterEach(() => rmSync(scratch, { recursive: true, force: true }));

  const at = (name: string) => path.join(scratch, name);
  const make = (directory: string) => makeDirectory(directory, { what: 'the directory', mode: 0o711 });
  const modeOf = (name: string) => statSync(at(name)).mode & 0o777;

  test('a directory is created with its parents, all with the mode, and may exist', () => {
    make(at('a/b/c'));
    expect(['a', 'a/b', 'a/b/c'].map(modeOf)).toEqual([0o711, 0o711, 0o711]);
    make(at('a/b/c'));
    symlinkSync(at('a/b'), at('link'));
    make(at('link/c'));
    make('/');
  });

  test.each([
    ['a file is in the way', 'file'],
    ['a file is among the parents', 'file/below'],
    ['a link leads nowhere', 'dangling'],
  ])('%s: an error in one line', (_, name) => {
    writeFileSync(at('file'), '');
    symlinkSync(at('nowhere'), at('dangling'));
    expect(() => make(at(name))).toThrow(StartError);
    expect(() => make(at(name))).toThrow(`cannot create the directory ${at(name)}: E`);
  });

  // mkdir answers ENOENT there, whatever exists.
  (process.platform === 'linux' ? test : test.skip)('below /proc nothing can be created', () => {
    expect(() => make('/proc/x/y')).toThrow(/^cannot create the directory \/proc\/x\/y: ENOENT/);
  });
}

const failure = (code: string, rest: object = { syscall: 'open', path: '/x' }) =>
  Object.assign(new Error(`${code}: some text, open '/x'`), { code, ...rest });

test.each([
  ['EACCES', /: the user \S+ may not: give it the right, or run this as another user$/],
  ['EROFS', /: its file system is read-only: mount it to be written, or name another place$/],
  ['ENOSPC', /: its disk is full: free some space, or name another place$/],
  ['ENOENT', /^ENOENT: some text, open '\/x'$/],
])('%s is told with the file and what to do', (code, text) => {
  expect(systemFailure(failure(code))).toMatch(text);
  expect(systemFailure(failure(code))).toContain("'/x'");
});

test('a full disk is no failure of a connection, and a socket that may not be used is one', () => {
  expect(isFileFailure(failure('ENOSPC', { syscall: 'write' }))).toBe(true);
  expect(isFileFailure(failure('EACCES', { syscall: 'connect', path: '/run/.s.PGSQL.5432' }))).toBe(false);
  expect(isFileFailure(failure('ECONNRESET', { syscall: 'read' }))).toBe(false);
});

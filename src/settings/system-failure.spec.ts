import { expect, test } from '@jest/globals';
import { isFileFailure, systemFailure } from './system-failure.js';

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

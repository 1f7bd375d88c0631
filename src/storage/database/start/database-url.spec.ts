import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenDatabaseUrl } from './database-url.js';

let dir: string;
beforeAll(() => (dir = mkdtempSync(path.join(tmpdir(), 'password-'))));
afterAll(() => rmSync(dir, { recursive: true }));

const url = (databaseUrl: string, password?: string): string => {
  const databasePasswordFile = password === undefined ? '' : path.join(dir, 'password');
  if (password !== undefined) writeFileSync(databasePasswordFile, password);
  return givenDatabaseUrl({ databaseUrl, databasePasswordFile });
};

test('the password in the file is inserted into the URL, with any characters', () => {
  expect(url('postgresql://me@db:5432/leases', 'p@ss/w:rd \n')).toBe('postgresql://me:p%40ss%2Fw%3Ard%20@db:5432/leases');
  expect(url('postgres://me@%2Frun%2Fpg/leases?sslmode=require', 'x')).toBe('postgres://me:x@%2Frun%2Fpg/leases?sslmode=require');
});

test('without a password file the URL is unchanged', () => {
  expect(url('postgresql://me:secret@db/leases')).toBe('postgresql://me:secret@db/leases');
  expect(url('')).toBe('');
});

test('a password file is refused if it is empty or the URL does not need it', () => {
  for (const without of ['', 'postgresql://db/leases', 'postgresql://me:secret@db/leases']) {
    expect(() => url(without, 'x')).toThrow('--database-password-file needs a --database-url with a user and without a password');
  }
  expect(() => url('postgresql://me@db/leases', '\n')).toThrow('is empty');
});

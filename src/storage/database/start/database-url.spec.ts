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

test('the password of the file stands in the URL, whatever it is made of', () => {
  expect(url('postgresql://me@db:5432/leases', 'p@ss/w:rd \n')).toBe('postgresql://me:p%40ss%2Fw%3Ard%20@db:5432/leases');
  expect(url('postgres://me@%2Frun%2Fpg/leases?sslmode=require', 'x')).toBe('postgres://me:x@%2Frun%2Fpg/leases?sslmode=require');
});

test('without a file the URL stays as it is', () => {
  expect(url('postgresql://me:secret@db/leases')).toBe('postgresql://me:secret@db/leases');
  expect(url('')).toBe('');
});

test('a file is refused without an URL that needs it, and when it is empty', () => {
  for (const without of ['', 'postgresql://db/leases', 'postgresql://me:secret@db/leases']) {
    expect(() => url(without, 'x')).toThrow('--database-password-file needs a --database-url with a user and without a password');
  }
  expect(() => url('postgresql://me@db/leases', '\n')).toThrow('is empty');
});

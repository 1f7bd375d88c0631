import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseConnectionString } from '../hosts/connection-string.js';
import { givenDatabaseUrl } from './database-url.js';

let dir: string;
beforeAll(() => (dir = mkdtempSync(path.join(tmpdir(), 'password-'))));
afterAll(() => rmSync(dir, { recursive: true }));

const url = (databaseUrl: string, password?: string): string => {
  const databasePasswordFile = password === undefined ? '' : path.join(dir, 'password');
  if (password !== undefined) writeFileSync(databasePasswordFile, password);
  return givenDatabaseUrl({ databaseUrl, databasePasswordFile });
};

test.each([
  ['postgresql://me@db:5432/leases', 'p@ss/w:rd \n', 'p@ss/w:rd '],
  ['postgres://me@%2Frun%2Fpg/leases?sslmode=disable', 'x', 'x'],
  ['host=/run/pg user=me', "p'", "p'"],
])('the password in the file is inserted into %s, with any characters', (given, file, password) => {
  const settings = parseConnectionString(url(given, file));
  expect(settings).toEqual(new Map([...parseConnectionString(given), ['password', password]]));
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

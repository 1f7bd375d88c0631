import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkUrl } from './check-url.js';
import { databaseHosts, passwordIn } from './database-hosts.js';
import { DatabaseStartError } from '../session/database-start-error.js';

const urls = (url: string) => databaseHosts(url, {}).map(({ connectionString }) => connectionString);

describe('the hosts of a database', () => {
  it.each([
    ['postgresql://u:p@a/db', ['postgresql://u:p@a/db']],
    [
      'postgresql://u:p%40@a,b:5433/db?sslmode=disable',
      ['postgresql://u:p%40@a/db?sslmode=disable', 'postgresql://u:p%40@b:5433/db?sslmode=disable'],
    ],
    ['postgres://a:1,[::1]:2,c/', ['postgres://a:1/', 'postgres://[::1]:2/', 'postgres://c/']],
    ['postgresql://u@%2Frun%2Fa:5432,%2Frun%2Fb:5432/db', ['postgresql://u@%2Frun%2Fa:5432/db', 'postgresql://u@%2Frun%2Fb:5432/db']],
  ])('are parsed from %s', (url, expected) => {
    expect(urls(url)).toEqual(expected);
    expect(() => checkUrl(url)).not.toThrow();
  });

  it('have verified certificates in every mode that requests it', () => {
    expect(urls('postgresql://u@h/d?sslmode=require&x=1')).toEqual(['postgresql://u@h/d?sslmode=verify-full&x=1']);
    expect(urls('postgresql://u@h/d?sslmode=no-verify')).toEqual(['postgresql://u@h/d?sslmode=no-verify']);
    expect(urls('postgresql://a,b:1/d?x=1&sslmode=verify-ca')).toEqual([
      'postgresql://a/d?x=1&sslmode=verify-full',
      'postgresql://b:1/d?x=1&sslmode=verify-full',
    ]);
  });

  it('are taken from PGHOST, each with its own port or the common one', () => {
    expect(databaseHosts('', { PGHOST: 'a' })).toEqual([{}]);
    expect(databaseHosts('', { PGHOST: 'a,b', PGPORT: '5433' })).toEqual([
      { host: 'a', port: 5433 },
      { host: 'b', port: 5433 },
    ]);
    expect(databaseHosts(undefined, { PGHOST: 'a,b', PGPORT: '1,2' })).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ]);
    expect(databaseHosts('', { PGHOST: 'a,b' })).toMatchObject([{ port: 5432 }, { port: 5432 }]);
    expect(() => databaseHosts('', { PGHOST: 'a,b,c', PGPORT: '1,2' })).toThrow(new DatabaseStartError('PGPORT names 2 ports for 3 hosts'));
  });

  it('use the files of PGSSLROOTCERT, PGSSLCERT and PGSSLKEY where TLS is used and the URL names no others', () => {
    const environment = { PGSSLMODE: 'require', PGSSLROOTCERT: '/a b.pem' };
    const given = (url: string) => databaseHosts(url, environment).map(({ connectionString }) => connectionString);
    expect(given('postgresql://h/d')).toEqual(['postgresql://h/d?sslrootcert=%2Fa%20b.pem&sslmode=verify-full']);
    expect(given('postgresql://h/d?sslmode=no-verify')).toEqual(['postgresql://h/d?sslmode=no-verify&sslrootcert=%2Fa%20b.pem']);
    for (const url of ['postgresql://h/d?sslmode=disable', 'postgresql://h/d?sslrootcert=b.pem']) expect(given(url)).toEqual([url]);
    environment.PGSSLMODE = '';
    expect(given('postgresql://h/d')).toEqual(['postgresql://h/d']);
    expect(given('postgresql://h/d?sslcert=c')).toEqual(['postgresql://h/d?sslcert=c&sslrootcert=%2Fa%20b.pem']);
  });

  it('are reached with these files if the variables determine everything', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'tls-'));
    const file = path.join(dir, 'ca.pem');
    writeFileSync(file, 'one');
    const environment = { PGHOST: 'a', PGSSLMODE: 'verify-full', PGSSLROOTCERT: file };
    const [host] = databaseHosts('', environment);
    expect(host?.ssl).toEqual({ ca: 'one' });
    writeFileSync(file, 'renewed');
    expect({ ...host }).toEqual({ ssl: { ca: 'renewed' } });
    expect(databaseHosts('', { ...environment, PGSSLMODE: 'no-verify' })[0]?.ssl).toEqual({ ca: 'renewed', rejectUnauthorized: false });
    for (const variables of [{ PGSSLMODE: 'disable' }, { PGSSLMODE: '' }, { PGSSLROOTCERT: 'system' }]) {
      expect(databaseHosts('', { ...environment, ...variables })).toEqual([{}]);
    }
    rmSync(dir, { recursive: true });
    expect(() => databaseHosts('', environment)).toThrow('ENOENT');
  });

  it('share one password', () => {
    expect(passwordIn('postgresql://u:p%40ss@a:1,b:2/db')).toBe('p@ss');
    expect(passwordIn('postgresql://u@a/db')).toBe('');
    expect(passwordIn('')).toBe('');
  });

  it.each(['read-write', 'primary', 'any'])('may be requested with target_session_attrs=%s', (attribute) => {
    expect(urls(`postgresql://a,b/db?target_session_attrs=${attribute}`)).toHaveLength(2);
  });

  it.each(['standby', 'read-only', 'prefer-standby'])('must not be requested with target_session_attrs=%s', (attribute) => {
    expect(() => checkUrl(`postgresql://a,b/db?target_session_attrs=${attribute}`)).toThrow(
      `target_session_attrs=${attribute} in the database URL: the server needs the primary`,
    );
  });
});

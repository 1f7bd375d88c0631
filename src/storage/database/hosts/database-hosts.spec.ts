import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DatabaseStartError } from '../session/database-start-error.js';
import { checkUrl } from './check-url.js';
import { parseConnectionString } from './connection-string.js';
import { databaseHosts } from './database-hosts.js';

/** What pg makes of each host. */
const hosts = (url: string, environment = {}) =>
  databaseHosts(url, environment).map(({ connectionString = '' }) => {
    const { user, password, host, port, database } = new pg.Client(connectionString);
    return `${user}${password ? `:${password}` : ''} ${host}:${port} ${database}`;
  });
const parameters = (url: string, environment = {}) =>
  databaseHosts(url, environment).map(({ connectionString = '' }) => Object.fromEntries(new URL(connectionString).searchParams));

describe('the hosts of a database', () => {
  it.each([
    ['postgresql://u:p@a/db', ['u:p a:5432 db']],
    ['postgresql://u:p%40@a,b:5433/db?sslmode=disable', ['u:p@ a:5432 db', 'u:p@ b:5433 db']],
    ['postgres://u@a:1,[::1]:2,c/d', ['u a:1 d', 'u ::1:2 d', 'u c:5432 d']],
    ['postgresql://u@%2Frun%2Fa:5432,%2Frun%2Fb:5433/db', ['u /run/a:5432 db', 'u /run/b:5433 db']],
    ['postgresql://u@/db?host=/dir', ['u /dir:5432 db']],
    ['postgresql:///db?host=/dir&user=u&password=a%2Bb+c&port=1', ['u:a+b+c /dir:1 db']],
    ['postgresql://u@ignored:1/x?host=a,b&port=2,3&dbname=db', ['u a:2 db', 'u b:3 db']],
    ['postgresql://u@?host=a&port=7&dbname=my%20%25db', ['u a:7 my %db']],
    ['postgresql://u:p@ss#1@a/db', ['u:p@ss#1 a:5432 db']],
    ['host=a user=u dbname=db', ['u a:5432 db']],
    [" host = 'a,b'  port=1,2 user=u password='p\\'s s' dbname=d\\ b ", ["u:p's s a:1 d b", "u:p's s b:2 d b"]],
    ['host=/run/postgresql user=u dbname=db sslmode=disable', ['u /run/postgresql:5432 db']],
  ])('are parsed from %s', (url, expected) => {
    expect(hosts(url)).toEqual(expected);
    expect(() => checkUrl(url)).not.toThrow();
  });

  it.each([
    ['leases', 'the database URL is invalid'],
    ['https://h/d', 'the database URL is invalid'],
    ['postgresql://h:port/d', 'the database URL is invalid'],
    ["host='a user=u", 'the database URL is invalid'],
    ['postgresql://u:p%zz@h/d', '% %25'],
    ['postgresql://u:se/cret@h/d', /^(?!.*cret).*@ is written %40/],
    ['postgresql://u:se?cret@h/d', '@ is written %40'],
    ['postgresql://h:1,i:70000/d', 'the database URL is invalid'],
    ['postgresql://h/d?host=a,b,c&port=1,2', 'the database URL names 2 ports for 3 hosts'],
    ['service=mine', 'service is not supported'],
    ['postgresql://h/d?hostaddr=10.0.0.1', 'hostaddr is not supported'],
    ['postgresql://h/d?passfile=x', 'passfile is not supported'],
    ['host=h sslmode=allow', 'unknown sslmode=allow'],
  ])('%s is refused', (url, message) => {
    expect(() => checkUrl(url)).toThrow(message);
    expect(() => checkUrl(url)).toThrow(DatabaseStartError);
  });

  it('have verified certificates in every mode that requests it', () => {
    expect(parameters('postgresql://u@h/d?sslmode=require&x=1')).toMatchObject([{ sslmode: 'verify-full', x: '1' }]);
    expect(parameters('postgresql://u@h/d?sslmode=no-verify')).toMatchObject([{ sslmode: 'no-verify' }]);
    expect(parameters('host=a,b user=u sslmode=verify-ca')).toMatchObject([{ sslmode: 'verify-full' }, { sslmode: 'verify-full' }]);
    expect(parameters('postgresql://u@h/d?sslrootcert=system')).toEqual([{ host: 'h', user: 'u', port: '', sslmode: 'verify-full' }]);
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
    const given = (url: string) => parameters(url, environment)[0];
    expect(given('postgresql://h/d')).toMatchObject({ sslrootcert: '/a b.pem', sslmode: 'verify-full' });
    expect(given('host=h sslmode=no-verify')).toMatchObject({ sslmode: 'no-verify', sslrootcert: '/a b.pem' });
    expect(given('postgresql://h/d?sslmode=disable')).toEqual({ host: 'h', port: '', sslmode: 'disable' });
    expect(given('postgresql://h/d?sslrootcert=b.pem')).toEqual({ host: 'h', port: '', sslrootcert: 'b.pem' });
    environment.PGSSLMODE = '';
    expect(given('postgresql://h/d')).toEqual({ host: 'h', port: '' });
    expect(given('postgresql://h/d?sslcert=c')).toEqual({ host: 'h', port: '', sslcert: 'c', sslrootcert: '/a b.pem' });
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

  it.each(['postgresql://u:p%40ss@a:1,b:2/db', 'postgresql://u@a/db?password=p%40ss', 'host=a password=p@ss'])(
    'share one password: %s',
    (url) => {
      expect(parseConnectionString(url).get('password')).toBe('p@ss');
    },
  );

  it.each(['read-write', 'primary', 'any'])('may be requested with target_session_attrs=%s', (attribute) => {
    expect(databaseHosts(`postgresql://a,b/db?target_session_attrs=${attribute}`)).toHaveLength(2);
  });

  it.each(['standby', 'read-only', 'prefer-standby'])('must not be requested with target_session_attrs=%s', (attribute) => {
    expect(() => checkUrl(`postgresql://a,b/db?target_session_attrs=${attribute}`)).toThrow(
      `target_session_attrs=${attribute} in the database URL: the server needs the primary`,
    );
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { checkUrl } from '../hosts/check-url.js';
import { startFailure } from './start-failure.js';

const answer = (code: string, message: string) => Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
const failed = (code: string, message = 'm') => Object.assign(new Error(message), { code });

test.each([
  ['28P01', 'password authentication failed for user "u"', 'the database rejected the user or the password: '],
  [
    '28000',
    'no pg_hba.conf entry for host "h", user "u", database "d", no encryption',
    'the database does not accept this user from this address without TLS: if it requires TLS, add sslmode=verify-full and sslrootcert=FILE (the certificate authority) to its URL, else an entry for this user is missing in pg_hba.conf: ',
  ],
  ['28000', 'no pg_hba.conf entry for host "h", user "u", database "d", SSL encryption', 'the database does not accept this user'],
  ['28P01', 'empty password returned by client', 'the database asks for a password, and none was given: '],
  ['3D000', 'database "d" does not exist', 'the database does not exist: '],
])('%s %s', (code, message, told) => {
  const { message: line } = startFailure(answer(code, message));
  expect([line.startsWith(told), line.endsWith(message)]).toEqual([true, true]);
});

test.each([
  [
    failed('SELF_SIGNED_CERT_IN_CHAIN'),
    "the database's certificate is not trusted (m): add sslrootcert=FILE with its authority to the database URL",
  ],
  [
    failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'm; if the root CA is installed locally, try running Node.js with --use-system-ca'),
    "the database's certificate is not trusted (m): add sslrootcert=FILE with its authority to the database URL",
  ],
  [failed('CERT_HAS_EXPIRED'), "the database's certificate is not valid now (m): renew it, or correct the clock of this machine"],
  [
    failed('ERR_TLS_CERT_ALTNAME_INVALID', "IP: 127.0.0.1 is not in the cert's list: "),
    "the database's certificate is for another host (IP: 127.0.0.1 is not in the cert's list): use a name from the certificate as the host",
  ],
  [
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    'the database asks for a password, and none was given: put it into the database URL, into a file for --database-password-file',
  ],
  [new Error('The server does not support SSL connections'), 'the database does not offer TLS, which sslmode requires'],
  [
    Object.assign(failed('ENOENT', 'no such file'), { path: '/ca.pem' }),
    'cannot read the file of sslrootcert, sslcert or sslkey in the database URL, or of PGSSLROOTCERT, PGSSLCERT or PGSSLKEY: no such file',
  ],
  [Object.assign(failed('ENOENT', 'connect ENOENT'), { path: undefined, address: '/run/.s.PGSQL.5432' }), 'cannot reach the database'],
])('%s', (error, told) => expect(startFailure(error).message.startsWith(told)).toBe(true));

test('a lock of another session is told as such', () => {
  expect(startFailure(answer('55P03', 'canceling statement due to lock timeout')).message).toMatch(
    /^another session of the database has locked what this needs \(doctor names one/,
  );
});

test('the reason names what it depends on', () => {
  const error = Object.assign(answer('2BP01', 'cannot drop view leases because other objects depend on it'), {
    detail: 'view evil.v depends on view leases\nview evil.w depends on view leases',
  });
  expect(startFailure(error).message).toBe(
    'the database reported an error: cannot drop view leases because other objects depend on it: view evil.v depends on view leases view evil.w depends on view leases',
  );
});

test('an unknown sslmode is refused', () => {
  expect(() => checkUrl('postgresql://u@h/d?sslmode=on')).toThrow('unknown sslmode=on: use one of disable, ');
  checkUrl('postgresql://u@h/d?application_name=x&sslmode=no-verify');
});

describe('an authority that was given', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'authority-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const authority = path.join(dir, 'ca.pem');
  const empty = path.join(dir, 'empty.pem');
  writeFileSync(authority, '-----BEGIN CERTIFICATE-----\n');
  writeFileSync(empty, 'no certificate');

  test.each([
    [authority, `the authority in ${authority} did not sign it`],
    [empty, `${empty} contains no certificate`],
  ])('is named where it does not fit: %s', (file, told) => {
    const error = failed('SELF_SIGNED_CERT_IN_CHAIN');
    const line = `the database's certificate is not trusted (m): ${told}`;
    expect(startFailure(error, { url: `postgresql://h/d?sslmode=require&sslrootcert=${encodeURIComponent(file)}` }).message).toBe(line);
    expect(startFailure(error, { url: '', environment: { PGSSLROOTCERT: file } }).message).toBe(line);
  });
});

test('variables that chose the database are named when it cannot be reached', () => {
  const environment = { PGHOST: 'db', PGDATABASE: 'd', PGUSER: 'u' };
  const chosen = '; PGHOST, PGDATABASE in the environment chose this database instead of the embedded one';
  for (const code of ['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT']) {
    expect(startFailure(failed(code), { url: '', environment }).message.endsWith(chosen)).toBe(true);
    expect(startFailure(failed(code), { url: 'postgresql://h/d', environment }).message).not.toContain('PGHOST');
    const url = 'postgresql://h/d';
    expect(startFailure(failed(code), { url, environment: { ...environment, DATABASE_URL: url } }).message).toMatch(
      /; DATABASE_URL in the environment chose this database instead of the embedded one$/,
    );
  }
});

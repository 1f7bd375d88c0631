import pg from 'pg';
import { checkUrl } from '../hosts/check-url.js';
import { startFailure } from './database-start-error.js';

const answer = (code: string, message: string) => Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
const failed = (code: string, message = 'm') => Object.assign(new Error(message), { code });

test.each([
  ['28P01', 'password authentication failed for user "u"', 'the database rejected the user or the password: '],
  [
    '28000',
    'no pg_hba.conf entry for host "h", user "u", database "d", no encryption',
    'the database requires TLS: add sslmode=verify-full',
  ],
  ['28000', 'no pg_hba.conf entry for host "h", user "u", database "d", SSL encryption', 'the database does not accept this user'],
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
  [new Error('The server does not support SSL connections'), 'the database does not offer TLS, which sslmode requires'],
  [
    Object.assign(failed('ENOENT', 'no such file'), { path: '/ca.pem' }),
    'cannot read the file of sslrootcert, sslcert or sslkey in the database URL: no such file',
  ],
  [Object.assign(failed('ENOENT', 'connect ENOENT'), { path: undefined, address: '/run/.s.PGSQL.5432' }), 'cannot reach the database'],
])('%s', (error, told) => expect(startFailure(error).message.startsWith(told)).toBe(true));

test('an unknown sslmode is refused', () => {
  expect(() => checkUrl('postgresql://u@h/d?sslmode=on')).toThrow('unknown sslmode=on: use one of disable, ');
  checkUrl('postgresql://u@h/d?application_name=x&sslmode=no-verify');
});

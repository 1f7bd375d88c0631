import pg from 'pg';
import { StorageError } from '../../storage-errors.js';

/** The reason why this database cannot be used, in one line for the operator. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/** Turns the error of the first connection, a check or a migration into one line that says what to do about it. */
export function startFailure(error: unknown): DatabaseStartError {
  if (error instanceof DatabaseStartError) return error;
  if (error instanceof StorageError && error.cause) return startFailure(error.cause);
  const message = oneLine((error as Error).message || String(error));
  const explained = error instanceof pg.DatabaseError ? explainAnswer(error.code ?? '', message) : explainConnection(error, message);
  return new DatabaseStartError(explained, { cause: error });
}

const NO_TLS = 'the database does not offer TLS, which sslmode requires: turn on ssl there, or remove sslmode from the database URL';

/** Error codes of OpenSSL and Node for certificates, what they mean and what to do; the first match counts. */
const CERTIFICATE_ERRORS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the database's certificate is for another host",
    'use a name from the certificate as the host in the database URL',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "the database's certificate is not valid now", 'renew it, or correct the clock of this machine'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_/,
    "the database's certificate is not trusted",
    'add sslrootcert=FILE with its authority to the database URL',
  ],
];

const ANSWERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '28P01': 'the database rejected the user or the password',
    '28000': 'the database rejected the user or the password',
    '3D000': 'the database does not exist',
    '42501': 'the database user lacks a privilege',
    '53300': 'the database has no free connections',
    '57P03': 'the database is not ready',
  }),
);

function explainAnswer(state: string, message: string): string {
  if (/pg_hba\.conf.*no encryption/.test(message)) {
    return `the database requires TLS: add sslmode=verify-full and sslrootcert=FILE (the certificate authority) to its URL: ${message}`;
  }
  if (/pg_hba\.conf/.test(message)) return `the database does not accept this user from this address: ${message}`;
  return `${ANSWERS.get(state) ?? 'the database reported an error'}: ${message}`;
}

function explainConnection(error: unknown, message: string): string {
  // pg itself detects a password that is missing or has the wrong type for SCRAM.
  if (/SASL|password/i.test(message)) return `the database rejected the user or the password: ${message}`;
  const { code, address, port, path } = firstError(error);
  if (path !== undefined && code === 'ENOENT' && !path.includes('.s.PGSQL.')) {
    return `cannot read the file of sslrootcert, sslcert or sslkey in the database URL: ${message}`;
  }
  const certificateError = CERTIFICATE_ERRORS.find(([codes]) => codes.test(code ?? ''));
  if (certificateError) {
    const [, meaning, remedy] = certificateError;
    return `${meaning} (${withoutHint(message)}): ${remedy}`;
  }
  if (/does not support SSL/.test(message)) return NO_TLS;
  const where = `${address ?? 'its address'}${port === undefined ? '' : `, port ${port}`}`;
  if (code === 'ECONNREFUSED') return `cannot reach the database: nothing listens at ${where}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `cannot resolve the database's host: ${message}`;
  return `cannot reach the database: ${message}`;
}

/** Node collects the errors of a host's several addresses in an AggregateError. */
function firstError(error: unknown): { code?: string; address?: string; port?: number; path?: string } {
  return (error instanceof AggregateError ? error.errors[0] : error) as object;
}

/** Node appends a hint for people who start Node themselves, and a colon before an empty list of names. */
function withoutHint(message: string): string {
  return message.replace(/; if the root CA is installed locally.*/, '').replace(/[\s:]+$/, '');
}

function oneLine(message: string): string {
  return message.replace(/\s*\n\s*/g, ' ');
}

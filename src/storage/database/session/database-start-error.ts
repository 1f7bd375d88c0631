import pg from 'pg';
import { StorageError } from '../../storage-errors.js';

/** Why this database cannot be used, in one line for the person who started the server. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

/** What the first connection, a check or a migration failed with, as one line that says what to do about it. */
export function startFailure(error: unknown): DatabaseStartError {
  if (error instanceof DatabaseStartError) return error;
  if (error instanceof StorageError && error.cause) return startFailure(error.cause);
  const message = oneLine((error as Error).message || String(error));
  const explained = error instanceof pg.DatabaseError ? explainAnswer(error.code ?? '', message) : explainConnection(error, message);
  return new DatabaseStartError(explained, { cause: error });
}

const NO_TLS = 'the database does not offer TLS, and sslmode asks for it: turn ssl on there, or take sslmode out of the database URL';

/** What OpenSSL and Node find wrong with a certificate. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_|ERR_TLS_CERT_ALTNAME_INVALID/;

const ANSWERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '28P01': 'the database refuses the user or the password',
    '28000': 'the database refuses the user or the password',
    '3D000': 'the database does not exist',
    '42501': 'the database user lacks a right',
    '53300': 'the database has no free connections',
    '57P03': 'the database is not ready',
  }),
);

function explainAnswer(state: string, message: string): string {
  if (/pg_hba\.conf.*no encryption/.test(message)) {
    return `the database wants TLS: add sslmode=verify-full to its URL, and sslrootcert=FILE with the authority: ${message}`;
  }
  if (/pg_hba\.conf/.test(message)) return `the database does not admit this user from this address: ${message}`;
  return `${ANSWERS.get(state) ?? 'the database answers with an error'}: ${message}`;
}

function explainConnection(error: unknown, message: string): string {
  // a password that is missing, or of the wrong type for SCRAM, is found by pg itself
  if (/SASL|password/i.test(message)) return `the database refuses the user or the password: ${message}`;
  const { code, address, port, path } = firstError(error);
  if (path !== undefined && code === 'ENOENT' && !path.includes('.s.PGSQL.')) {
    return `cannot read a file that sslrootcert, sslcert or sslkey names in the database URL: ${message}`;
  }
  if (code !== undefined && UNTRUSTED.test(code)) {
    return `the database's certificate is not trusted: ${message}: name its authority with sslrootcert=FILE in the database URL`;
  }
  if (/does not support SSL/.test(message)) return NO_TLS;
  const where = `${address ?? 'its address'}${port === undefined ? '' : `, port ${port}`}`;
  if (code === 'ECONNREFUSED') return `the database is not reachable: nothing listens at ${where}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the database's host is not known: ${message}`;
  return `the database is not reachable: ${message}`;
}

/** Node collects the failures of a host's several addresses. */
function firstError(error: unknown): { code?: string; address?: string; port?: number; path?: string } {
  return (error instanceof AggregateError ? error.errors[0] : error) as object;
}

function oneLine(message: string): string {
  return message.replace(/\s*\n\s*/g, ' ');
}

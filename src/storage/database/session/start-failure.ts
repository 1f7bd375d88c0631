import { readFileSync } from 'node:fs';
import pg from 'pg';
import { StorageError } from '../../storage-errors.js';
import { DatabaseStartError } from './database-start-error.js';
import { sqlState } from './pg-errors.js';

/** How the database was chosen. */
export interface ChosenBy {
  /** Empty: the PG* variables; absent: unknown. */
  readonly url?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Turns the error of the first connection, a check or a migration into one line that says what to do about it. */
export function startFailure(error: unknown, chosen: ChosenBy = {}): DatabaseStartError {
  if (error instanceof DatabaseStartError) return error;
  if (error instanceof StorageError && error.cause) return startFailure(error.cause, chosen);
  const { message: text = '', detail } = error as pg.DatabaseError;
  // Only the detail says what depends on something.
  const message = oneLine(`${text || String(error)}${sqlState(error) === DEPENDED_ON && detail ? `: ${detail}` : ''}`);
  const explained =
    error instanceof pg.DatabaseError ? explainAnswer(error.code ?? '', message, chosen) : explainConnection(error, message, chosen);
  return new DatabaseStartError(explained, { cause: error });
}

const NO_PASSWORD =
  'the database asks for a password, and none was given: put it into the database URL, into a file for --database-password-file, or into PGPASSWORD';
const NO_TLS = 'the database does not offer TLS, which sslmode requires: turn on ssl there, or remove sslmode from the database URL';

/** Error codes of OpenSSL and Node for certificates, what they mean and what to do; the first match counts. */
const CERTIFICATE_ERRORS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the database's certificate is for another host",
    'use a name from the certificate as the host in the database URL',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "the database's certificate is not valid now", 'renew it, or correct the clock of this machine'],
];
const NOT_TRUSTED = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_/;

const NO_DATABASE = '3D000';
const DEPENDED_ON = '2BP01';

const ANSWERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '28P01': 'the database rejected the user or the password',
    '28000': 'the database rejected the user or the password',
    [NO_DATABASE]: 'the database does not exist',
    '42501': 'the database user lacks a privilege',
    '53300': 'the database has no free connections',
    '55P03': 'another session of the database has locked what this needs (doctor names one that is left open)',
    '57P03': 'the database is not ready',
  }),
);

function explainAnswer(state: string, message: string, chosen: ChosenBy): string {
  if (/empty password/.test(message)) return `${NO_PASSWORD}: ${message}`;
  if (/pg_hba\.conf.*no encryption/.test(message)) {
    return `the database does not accept this user from this address without TLS: if it requires TLS, add sslmode=verify-full and sslrootcert=FILE (the certificate authority) to its URL, else an entry for this user is missing in pg_hba.conf: ${message}`;
  }
  if (/pg_hba\.conf/.test(message)) return `the database does not accept this user from this address: ${message}`;
  return `${ANSWERS.get(state) ?? 'the database reported an error'}: ${message}${state === NO_DATABASE ? choiceOfVariables(chosen) : ''}`;
}

function explainConnection(error: unknown, message: string, chosen: ChosenBy): string {
  // pg itself detects a password that is missing or has the wrong type for SCRAM.
  if (/client password must be a/.test(message)) return NO_PASSWORD;
  if (/SASL|password/i.test(message)) return `the database rejected the user or the password: ${message}`;
  const { code = '', address, port, path } = firstError(error);
  if (path !== undefined && code === 'ENOENT' && !path.includes('.s.PGSQL.')) {
    return `cannot read the file of sslrootcert, sslcert or sslkey in the database URL, or of PGSSLROOTCERT, PGSSLCERT or PGSSLKEY: ${message}`;
  }
  const certificateError = CERTIFICATE_ERRORS.find(([codes]) => codes.test(code));
  if (certificateError) {
    const [, meaning, remedy] = certificateError;
    return `${meaning} (${withoutHint(message)}): ${remedy}`;
  }
  if (NOT_TRUSTED.test(code)) return `the database's certificate is not trusted (${withoutHint(message)}): ${whyNotTrusted(chosen)}`;
  if (/does not support SSL/.test(message)) return NO_TLS;
  return explainUnreachable({ code, address, port }, message) + choiceOfVariables(chosen);
}

function explainUnreachable({ code, address, port }: { code: string; address?: string; port?: number }, message: string): string {
  const where = `${address ?? 'its address'}${port === undefined ? '' : `, port ${port}`}`;
  if (code === 'ECONNREFUSED') return `cannot reach the database: nothing listens at ${where}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `cannot resolve the database's host: ${message}`;
  return `cannot reach the database: ${message}`;
}

/** What is wrong with the certificates of the authority that were given, if they were. */
function whyNotTrusted({ url = '', environment = process.env }: ChosenBy): string {
  const file = new URLSearchParams(url.split('?')[1]).get('sslrootcert') || environment['PGSSLROOTCERT'];
  if (!file || file === 'system') return 'add sslrootcert=FILE with its authority to the database URL';
  return hasCertificate(file) ? `the authority in ${file} did not sign it` : `${file} contains no certificate`;
}

function hasCertificate(file: string): boolean {
  try {
    return /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

/** Variables that were set for another program choose a database unnoticed. */
function choiceOfVariables({ url, environment }: ChosenBy): string {
  const names = url === undefined ? [] : selectingVariables(url, environment);
  if (names.length === 0) return '';
  return `; ${names.join(', ')} in the environment chose this database instead of the embedded one`;
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

/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only select a user. */
export const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'] as const;

/** The variables that chose the database of this URL (empty: libpq's variables did), perhaps for another program. */
export function selectingVariables(url: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  const candidates = url === '' ? SELECTING_VARIABLES : url === environment['DATABASE_URL'] ? ['DATABASE_URL'] : [];
  return candidates.filter((name) => environment[name]);
}

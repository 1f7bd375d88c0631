import pg from 'pg';
import { StorageError } from '../storage-errors.js';
import { DatabaseStartError } from './database-start-error.js';
import { sqlState } from './pg-errors.js';

/** What the first connection, a check or a migration failed with, as one line that says what to do about it. */
export function startFailure(error: unknown): DatabaseStartError {
  if (error instanceof DatabaseStartError) return error;
  if (error instanceof StorageError && error.cause) return startFailure(error.cause);
  return new DatabaseStartError(explain(error), { cause: error });
}

function explain(error: unknown): string {
  const message = (error as Error).message || String(error);
  switch (sqlState(error)) {
    case '28P01':
    case '28000':
      return `the database refuses the user or the password: ${message}`;
    case '3D000':
      return `the database does not exist: ${message}`;
    case '42501':
      return `the database user lacks a right: ${message}`;
    case '53300':
      return `the database has no free connections: ${message}`;
    case '57P03':
      return `the database is not ready: ${message}`;
    default:
      return error instanceof pg.DatabaseError ? `the database answers with an error: ${message}` : explainConnection(error, message);
  }
}

function explainConnection(error: unknown, message: string): string {
  const code = networkCode(error);
  if (/SASL|password/i.test(message)) return `the database refuses the user or the password: ${message}`;
  if (code === 'ERR_INVALID_URL' || message === 'Invalid URL')
    return 'the database URL is not valid: postgresql://user:password@host:port/name is expected';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the database's host is not known: ${message}`;
  if (code === 'ENOENT') return `the database is not reachable: ${message}`;
  return `the database is not reachable: ${code === 'ECONNREFUSED' ? connectionRefused(error) : message}`;
}

function connectionRefused(error: unknown): string {
  const { address, port } = firstError(error);
  return `nothing listens at ${address ?? 'its address'}${port === undefined ? '' : `, port ${port}`}`;
}

function networkCode(error: unknown): string | undefined {
  return firstError(error).code;
}

/** Node collects the failures of a host's several addresses. */
function firstError(error: unknown): { code?: string; address?: string; port?: number } {
  return (error instanceof AggregateError ? error.errors[0] : error) as object;
}

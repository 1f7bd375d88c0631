import pg from 'pg';
import { StorageError } from '../../storage-errors.js';
import { SilenceError } from './silence.js';

/** The SQLSTATE of what the server answered; undefined for everything that did not come from it. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether the statement may have been committed although this error came back. Only an answer of the server that leaves the session
 * running is certain, so it must have come with the session ready for the next query (send-query.ts): the end of the connection may come
 * after the commit, as may these codes. Severities say nothing, since the server translates them.
 */
export function isUnclear(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return /^(08|57P|40003)/.test(error.code ?? '');
}

/** Whether the session is to be kept after an error: one of the values or of the moment, and not of the connection, server or role. */
export function keepsSession(error: unknown): boolean {
  return isDataError(error) || isTransient(error) || ['57014', '55P03'].includes(sqlState(error) ?? '');
}

/** Whether the server takes no writes, as a standby does: the statement took no effect, and does so on the primary. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/** Errors of the values that were sent: invalid text, too long for the protocol, a violated check. */
export function isDataError(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}

/** What a commit fails with whose notification finds the queue full, because some session has listened and not read for long. */
export function isLimitExceeded(error: unknown): boolean {
  return sqlState(error) === '54000';
}

/** Errors that go away when the same statement is sent again: serialization failure, deadlock. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Whether it comes from a database that cannot be reached, or cannot work at the moment, itself or by what caused it. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseTrouble);
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageError) return error.code === 'Unavailable' || error.code === 'OutcomeUnknown';
  if (error instanceof SilenceError || error instanceof ConnectionLost) return true;
  if (error instanceof pg.DatabaseError) return isUnclear(error) || isReadOnly(error) || error.code === '53300';
  return isDatabaseTrouble(error.cause);
}

/** For the log: a connection ended without a reason. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Everything that the database cannot do for us is one thing to the layers above; the details go to the log by `cause`. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('Unavailable', 'the database cannot answer now', { cause: error });
}

import type { Socket } from 'node:net';
import pg from 'pg';
import { StorageError } from '../../storage-errors.js';

/** The SQLSTATE of an error that the server reported; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether the statement may have been committed despite this error. Only an error reported by a server that keeps the session running is
 * certain, which is why it must arrive with the session ready for the next query (database-client.ts): the end of a connection, and these codes,
 * may follow the commit. Severities cannot be used, since the server translates them.
 */
export function isUnclear(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return /^(08|57P|40003)/.test(error.code ?? '');
}

/**
 * Whether the session can be kept after an error: one that concerns the values, a table or a function, or is temporary, and not the connection
 * or server. Any other may be cured by a new session, for example one whose plans are out of date.
 */
export function keepsSession(error: unknown): boolean {
  return isDataError(error) || isTransient(error) || isCancelled(error) || /^(42|55|P0)/.test(sqlState(error) ?? '');
}

/** Whether the statement took too long, or somebody cancelled it. */
export function isCancelled(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** Whether the statement waited for another session's lock for longer than it may. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** Whether a certain error arose in this function, or in what it called. */
export function aroseIn(error: unknown, functionName: string): boolean {
  return error instanceof pg.DatabaseError && error.where?.includes(functionName) === true;
}

/** Whether the server accepts no writes, as a standby does. The statement had no effect here, but can succeed on the primary. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/** Whether the error, or one of its causes, is a rejected user or password. */
export function isLoginRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^28/.test(sqlState(error) ?? '') || isLoginRefused(error.cause);
}

/** Errors caused by the values: invalid text, too long for the protocol, a violated check. */
function isDataError(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}

/** PostgreSQL has no such value, or cannot convert it. Parameters of sessions and functions are not among them. */
export function isValueError(error: unknown): boolean {
  return /^22(?!023)/.test(sqlState(error) ?? '');
}

/** Whether the database lacks something for any write: a connection, resources, its files or its own order. Other errors may be of one row. */
export function isFaultOfServer(error: unknown): boolean {
  return /^(?!22|23|27|42|44|55|P0|0)/.test(sqlState(error) ?? 'XX000');
}

/** A commit fails with it if its notification finds the queue full, because some session listens but has not read for long. */
export function isLimitExceeded(error: unknown): boolean {
  return sqlState(error) === '54000';
}

/** Errors after which the same statement can succeed if sent again: serialization failure, deadlock. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Whether the error, or one of its causes, comes from a database that is unreachable or temporarily unable to work. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseTrouble);
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageError) return error.code === 'Unavailable' || error.code === 'OutcomeUnknown';
  if (error instanceof SilenceError || error instanceof ConnectionLost) return true;
  if (error instanceof pg.DatabaseError) return isUnclear(error) || isReadOnly(error) || hasNoPlace(error);
  return isDatabaseTrouble(error.cause);
}

/** Whether the database, the role or the cluster has as many sessions as it may. */
export function hasNoPlace(error: unknown): boolean {
  return sqlState(error) === '53300';
}

/** For the log: a connection that ended without a reason. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Nothing became free in time, although all connections are open: there is too much to do, and the database is not at fault. */
export class PoolIsBusy extends Error {
  override readonly name = 'PoolIsBusy';
}

/**
 * Layers above see all failures of the database as one code, and refusals of a value as another; the log shows the details by way of `cause`. A value is
 * no outage: if it were, one request could make a server refuse those of others.
 */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (isValueError(error)) return new StorageError('BadData', 'the database does not take a value of the request', { cause: error });
  return new StorageError('Unavailable', 'the database is unavailable', { cause: error });
}

/** Properties of pg's client that its types omit. */
interface Internals {
  readonly connection: { readonly stream: Socket };
  /** False while a response is awaited. */
  readonly readyForQuery?: boolean;
  /** The server was asked to end the session. */
  readonly _ending?: boolean;
}

function internalsOf(client: pg.ClientBase): Internals {
  return client as unknown as Internals;
}

/** The error of queries in progress on a connection that fell silent. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/**
 * Destroys the connection if a response is awaited and nothing arrives for `ms`, for example because a network dropped the flow without
 * closing it; queries in progress reject. It uses the socket's own timer, so it costs nothing per query. Call it once the client is
 * connected. The returned function stops it.
 */
export function watchSilence(client: pg.ClientBase, ms: number, onSilent: () => void = () => undefined): () => void {
  return onSilence(client, ms, () => {
    internalsOf(client).connection.stream.destroy(new SilenceError(`the database was silent for ${ms} ms`));
    onSilent();
  });
}

/**
 * Calls back with the elapsed time each time a response has been awaited for another `ms` without anything arriving. The returned function
 * stops it. Only one can be active, since a socket has one timer.
 */
export function onSilence(client: pg.ClientBase, ms: number, callback: (silentMs: number) => void): () => void {
  const { stream } = internalsOf(client).connection;
  let silentMs = 0;
  let readBefore = -1;
  let ended = false;
  const look = () => {
    const { bytesRead } = stream;
    // If this process was suspended, data that arrived meanwhile is read first.
    setImmediate(() => {
      if (ended || !awaitsAnswer(client) || stream.bytesRead !== bytesRead) return;
      silentMs = readBefore === bytesRead ? silentMs + ms : ms;
      readBefore = bytesRead;
      callback(silentMs);
      if (awaitsAnswer(client)) stream.setTimeout(ms);
    });
  };
  stream.setTimeout(ms);
  stream.on('timeout', look);
  return () => {
    ended = true;
    stream.removeListener('timeout', look);
  };
}

/** Whether an open connection awaits the response to a query, or the end of the session. */
export function awaitsAnswer(client: pg.ClientBase): boolean {
  const { readyForQuery, _ending, connection } = internalsOf(client);
  return (readyForQuery === false || _ending === true) && !connection.stream.destroyed;
}

/** Ends a connection without a Terminate message, because the other side may no longer respond. Queries in progress reject. */
export function destroyClient(client: pg.ClientBase): void {
  internalsOf(client).connection.stream.destroy();
}

/** Like `destroyClient`, but only if nothing is in progress. */
export function destroyIdle(client: pg.ClientBase): void {
  if (!awaitsAnswer(client)) destroyClient(client);
}

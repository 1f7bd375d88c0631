import type { Socket } from 'node:net';
import type pg from 'pg';

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

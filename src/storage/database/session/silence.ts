import type { Socket } from 'node:net';
import type pg from 'pg';

/** What pg has and does not tell. */
interface Internals {
  readonly connection: { readonly stream: Socket };
  /** False while an answer is awaited. */
  readonly readyForQuery?: boolean;
  /** The server was asked to end the session. */
  readonly _ending?: boolean;
}

function internalsOf(client: pg.ClientBase): Internals {
  return client as unknown as Internals;
}

/** What is rejected with that was under way on a connection that fell silent. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/**
 * Destroys the connection when an answer is awaited and nothing has come for so long, as where a network drops a flow without closing it;
 * what is under way on it rejects. The socket's own timer, so it costs nothing per query. Call it once the client is connected. The returned
 * function ends it.
 */
export function watchSilence(client: pg.ClientBase, ms: number, onSilent: () => void = () => undefined): () => void {
  return onSilence(client, ms, () => {
    internalsOf(client).connection.stream.destroy(new SilenceError(`the database was silent for ${ms} ms`));
    onSilent();
  });
}

/**
 * Calls back whenever an answer has been awaited for so long, and again after as long, without anything coming; with the time so far. The
 * returned function ends it. One at a time, as a socket has one timer.
 */
export function onSilence(client: pg.ClientBase, ms: number, callback: (silentMs: number) => void): () => void {
  const { stream } = internalsOf(client).connection;
  let silentMs = 0;
  let readBefore = -1;
  let ended = false;
  const look = () => {
    const { bytesRead } = stream;
    // where this process stood still, what has come meanwhile is read first
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

/** Whether a query or the end of the session is still to be answered, on a connection that is open. */
export function awaitsAnswer(client: pg.ClientBase): boolean {
  const { readyForQuery, _ending, connection } = internalsOf(client);
  return (readyForQuery === false || _ending === true) && !connection.stream.destroyed;
}

/** Ends a connection without a farewell, because the other side may not answer any more. What is under way on it rejects. */
export function destroyClient(client: pg.ClientBase): void {
  internalsOf(client).connection.stream.destroy();
}

/** The same where nothing is under way. */
export function destroyIdle(client: pg.ClientBase): void {
  if (!awaitsAnswer(client)) destroyClient(client);
}

import type pg from 'pg';

/** The routine in which a commit stopped waiting for a synchronous standby; unlike messages, names of routines are not translated. */
const SYNCHRONOUS_WAIT = 'SyncRepWaitForLSN';

/** Sessions that have warned that a commit may not have reached the standby. */
const unreplicated = new WeakSet<pg.ClientBase>();

/** Detects commits that did not wait for the standby, which PostgreSQL reports as a success with a warning. Call it once per session. */
export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === SYNCHRONOUS_WAIT) unreplicated.add(client);
  });
}

/**
 * Sends a query. An error of the server counts only once the session is ready for the next query; if the session ends before, that end is
 * the error, since the statement may have been committed. Also rejects if the commit may not have reached the synchronous standby.
 *
 * Uses a callback: what pg's own promise holds, which is the whole batch, outlives the young generation (measured with pg 8.23: 700 bytes
 * per renewal until a full collection).
 */
export function sendQuery<Result extends pg.QueryResultBase>(client: pg.ClientBase, query: pg.QueryConfig): Promise<Result> {
  return new Promise((resolve, reject) => {
    client.query(query, (error: Error | null, result) => {
      if (error) whenReady(client, error, reject);
      else if (unreplicated.has(client)) reject(new Error('the commit was interrupted while it waited for a synchronous standby'));
      else resolve(result as pg.QueryResultBase as Result);
    });
  });
}

function whenReady(client: pg.ClientBase, error: Error, reject: (error: Error) => void): void {
  if ((client as { readyForQuery?: boolean }).readyForQuery) return reject(error);
  const ready = () => {
    client.removeListener('end', ended);
    reject(error);
  };
  const ended = () => {
    client.removeListener('drain', ready);
    reject(new Error(`the session ended: ${error.message}`, { cause: error }));
  };
  client.once('drain', ready).once('end', ended);
}

import type pg from 'pg';

/** Where a commit that was to wait for a synchronous standby stopped waiting; the names of routines are in no language. */
const SYNCHRONOUS_WAIT = 'SyncRepWaitForLSN';

/** Sessions that were warned that a commit may not have reached the standby. */
const unreplicated = new WeakSet<pg.ClientBase>();

/** Looks out for commits that are there, but did not wait for the standby: PostgreSQL warns, and reports success. Once per session. */
export function watchReplication(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === SYNCHRONOUS_WAIT) unreplicated.add(client);
  });
}

/**
 * Sends a query. An error of the server counts once the session is ready for the next query; where its end comes first, that is the error,
 * since such a statement may have been committed. Rejects too where the commit may not have reached the synchronous standby.
 *
 * With a callback: what pg's own promise holds, and that is the whole batch, outlives the young generation (measured with pg 8.23: 700
 * bytes of each renewal, until a full collection).
 */
export function sendQuery<Result extends pg.QueryResultBase>(client: pg.ClientBase, query: pg.QueryConfig): Promise<Result> {
  return new Promise((resolve, reject) => {
    client.query(query, (error: Error | null, result) => {
      if (error) whenReady(client, error, reject);
      else if (unreplicated.has(client)) reject(new Error('the commit was cut off while it waited for a synchronous standby'));
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

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** A pg.Client whose configuration may have both a URL and a function for the password; pg itself would drop the function. */
export class DatabaseClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super(config);
    if (typeof config.password === 'function') Object.assign(this, { password: config.password });
  }
}

/** The text of a file for `--database-password-file`, without the end of its line. */
export function passwordOf(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Reads the file for each new connection, since the password may have been changed. */
export function passwordFrom(file: string): () => Promise<string> {
  return async () => passwordOf(await readFile(file, 'utf8'));
}

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

/** The error of a new connection that brought the answer to a query of somebody else. */
export class StrayAnswer extends Error {
  override readonly name = 'StrayAnswer';

  constructor() {
    super('a new connection brought the answer to another query: the pooler handed it over before its former client was done');
  }
}

/**
 * Asks a new connection something that nobody else asks, before anything else is sent. Rejects with StrayAnswer if something else is
 * answered: from then on each query would get the answer to the one before it, and a commit would count as done while it still runs.
 *
 * PgBouncer in session mode causes this (seen with 1.18): it takes a notification that arrives during its reset query for the end of that
 * query, and gives the session to the next client (src/server.c, handle_server_work).
 */
export async function refuseStrayAnswers(client: pg.ClientBase): Promise<void> {
  const question = randomUUID();
  const { rows } = await client.query<{ question: string }>('select $1::text as question', [question]);
  if (rows[0]?.question !== question) throw new StrayAnswer();
}

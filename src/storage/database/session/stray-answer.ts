import { randomUUID } from 'node:crypto';
import type pg from 'pg';

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

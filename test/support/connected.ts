import pg from 'pg';

/** A session of the database, which ends with what uses it. The next statement tells that it is lost. */
export async function connected(config: string | pg.ClientConfig): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs a statement in a session of its own. */
export async function rowsOf<Row extends pg.QueryResultRow>(config: string | pg.ClientConfig, text: string): Promise<Row[]> {
  await using client = await connected(config);
  return (await client.query<Row>(text)).rows;
}

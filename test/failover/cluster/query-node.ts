import pg from 'pg';
import type { Endpoint } from '../../support/tcp-link.js';

const TIMEOUT_MS = 2_000;

/** Runs one statement as PostgreSQL's superuser on a new connection; rejects within seconds if the node is silent. */
export async function queryNode<Row extends pg.QueryResultRow>(
  { host, port }: Endpoint,
  sql: string,
  { database = 'postgres', user = 'postgres' } = {},
): Promise<Row[]> {
  const client = new pg.Client({
    ...{ host, port, user, database, password: 'torture' },
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    ssl: false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    // Not awaited: a silent node would never confirm the end.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

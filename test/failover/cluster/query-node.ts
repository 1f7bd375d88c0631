import type pg from 'pg';
import type { Endpoint } from '../../support/tcp-link.js';
import { DirectSession } from '../clients/direct-session.js';

const TIMEOUT_MS = 2_000;

/** Runs one statement as PostgreSQL's superuser on a new connection; rejects within seconds if the node is silent. */
export async function queryNode<Row extends pg.QueryResultRow>(
  { host, port }: Endpoint,
  sql: string,
  { database = 'postgres', user = 'postgres' } = {},
): Promise<Row[]> {
  using session = new DirectSession({
    ...{ host, port, user, database, password: 'torture' },
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    ssl: false,
  });
  return await session.query<Row>(sql);
}

import { connected } from './connected.js';
import { SERVER_URL_VARIABLE } from './store-url.js';

/** Runs work that other test files of the run do, too, while none of them does it, so that what it builds is not written while it is used. */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const connectionString = process.env[SERVER_URL_VARIABLE];
  if (!connectionString) return work(); // outside of jest there are no others
  await using client = await connected(connectionString);
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
  return await work();
}

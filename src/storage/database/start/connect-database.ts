import type { Logger } from 'pino';
import { checkUrl } from '../hosts/check-url.js';
import type { DatabaseOptions } from '../session/database-options.js';
import { Database } from '../database.js';
import { detectPooling } from '../session/pooling.js';

/** Opens the connections to a database, after detecting their pooling mode. Rejects with the database's error. */
export async function connectDatabase(options: DatabaseOptions, logger: Logger): Promise<Database> {
  if (options.url) checkUrl(options.url);
  const { pooling = 'auto' } = options;
  if (pooling !== 'auto') return new Database(options, logger);
  const probe = new Database(options, logger);
  try {
    return new Database({ ...options, pooling: await detectPooling(() => probe.connect('start')) }, logger);
  } finally {
    await probe.close();
  }
}

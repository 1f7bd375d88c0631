import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { checkDatabase, requireSupportedVersion } from './check-database.js';
import { checkUrl } from '../hosts/check-url.js';
import { Database } from '../database.js';
import { type DatabaseOptions, type Pooling, detectPooling } from '../session/database-options.js';
import { installationOf, InstallationNote } from './installation.js';
import { migrateDatabase } from '../migrations/migrate-database.js';
import { sqlState } from '../session/pg-errors.js';
import { startFailure } from '../session/start-failure.js';

const CANNOT_CONNECT_NOW = '57P03';
const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 200;
/** Includes the wait for another replica that migrates. */
const MIGRATION_TIMEOUT_MS = 60_000;

/** Connects, checks that the server can work with the database, and migrates it. Rejects with a DatabaseStartError. */
export async function openDatabase(options: DatabaseOptions, logger: Logger): Promise<Database> {
  let first: Database | undefined;
  let preparing: Database | undefined;
  try {
    checkUrl(options.url);
    first = new Database(options, logger);
    const client = await connectWhenReady(first);
    try {
      await requireSupportedVersion(client);
      const warning = await checkDatabase(client, options.schema);
      if (warning) logger.warn(warning);
      preparing = new Database({ ...options, pooling: await poolingOf(first, client), readTimeoutMs: MIGRATION_TIMEOUT_MS }, logger);
    } finally {
      await client.end();
    }
    const note = options.installationFile === undefined ? undefined : new InstallationNote(options.installationFile);
    const database = preparing;
    await migrateDatabase(database, { onWait: (text) => logger.warn(text), onCreate: () => note?.refuseNew(database) });
    const installation = await installationOf(database);
    const other = note?.write(database, installation);
    if (other) logger.warn(other);
    const { pooling } = database.options;
    if (pooling === 'transaction') logger.info('the connection goes through a transaction pooler: polling for changes');
    return new Database({ ...options, pooling, schema: database.schema, installation }, logger);
  } catch (error) {
    throw startFailure(error, options);
  } finally {
    await first?.close();
    await preparing?.close();
  }
}

/** Waits for a server that reports that it is starting up or shutting down. */
async function connectWhenReady(database: Database): Promise<pg.Client> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await database.connect('start');
    } catch (error) {
      if (sqlState(error) !== CANNOT_CONNECT_NOW || Date.now() > deadline) throw error;
      await sleep(READY_POLL_MS);
    }
  }
}

/** Opens the connections to a database, after detecting their pooling mode. Rejects with the database's error. */
export async function connectDatabase(options: DatabaseOptions, logger: Logger): Promise<Database> {
  checkUrl(options.url);
  const probe = new Database(options, logger);
  try {
    const client = await probe.connect('start');
    try {
      await requireSupportedVersion(client);
      return new Database({ ...options, pooling: await poolingOf(probe, client) }, logger);
    } finally {
      await client.end();
    }
  } finally {
    await probe.close();
  }
}

/** As configured, or detected with the open connection. */
async function poolingOf(database: Database, client: pg.Client): Promise<Exclude<Pooling, 'auto'>> {
  const { pooling = 'auto' } = database.options;
  return pooling === 'auto' ? await detectPooling(client, () => database.connect('start')) : pooling;
}

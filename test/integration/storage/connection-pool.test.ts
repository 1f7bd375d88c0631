import { beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { ConnectionPool } from '../../../src/storage/database/connection-pool.js';
import { databaseHosts } from '../../../src/storage/database/hosts/database-hosts.js';
import { PrimaryFinder } from '../../../src/storage/database/hosts/primary-finder.js';
import { afterEachTest, forEachTest } from '../../support/for-tests.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { silent } from './open-test-store.js';
import { pause } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

/** Long enough to open a connection on a busy machine; each test waits for it once. */
const WAITS_MS = 2_000;

describe('a pool of one connection', () => {
  /** A new connection is ready once this resolves. */
  let preparation = Promise.resolve();
  const database = forEachTest(() => createEmptyDatabase());
  let pool: ConnectionPool;
  beforeEach(() => {
    const config: pg.ClientConfig = { connectionTimeoutMillis: WAITS_MS };
    const hosts = new PrimaryFinder(databaseHosts(database.url), () => config, false);
    pool = new ConnectionPool({ hosts, config, max: 1, silenceMs: 5_000, prepare: () => preparation, logger: silent });
  });
  afterEachTest(() => pool.end());

  it.each(['is made ready', 'cannot be made ready'])('is usable after a request timed out while its connection %s', async (outcome) => {
    const first = await pool.connect();
    const second = pool.connect();
    let settle: (error?: Error) => void = () => undefined;
    preparation = new Promise((resolve, reject) => (settle = (error) => (error ? reject(error) : resolve())));
    // the second request opens a new connection
    first.release(true);
    await expect(second).rejects.toThrow('timeout exceeded when trying to connect');
    expect(pool.statistics).toEqual({ open: 1, idle: 0, waiting: 0 });
    settle(outcome === 'is made ready' ? undefined : new Error('the connection leads to a standby'));
    preparation = Promise.resolve();
    await eventually(() => pool.statistics.idle === pool.statistics.open);

    const { rows } = await pool.query({ text: 'select 1 as one' });
    expect(rows).toEqual([{ one: 1 }]);
    expect(pool.statistics).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it('serves later requests after one timed out waiting for a connection', async () => {
    const first = await pool.connect();
    await expect(pool.connect()).rejects.toThrow('all connections of the pool are busy');
    const third = pool.connect();
    await pause(WAITS_MS / 4);
    first.release();
    (await third).release();
    expect(pool.statistics).toEqual({ open: 1, idle: 1, waiting: 0 });
  });
});

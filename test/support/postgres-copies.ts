import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { postgresUnderTest } from './postgres-under-test.js';
import type { PostgresSettings } from '../../src/server/embedded-postgres/postgres-settings.js';

/** Thrown away afterwards; what is tested survives the loss of a copy, not the loss of power. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '60', shared_buffers: '16MB' };

/**
 * Clusters by name, each with its files in a directory of its own, that are copies of one another: as standbys, restored backups and
 * snapshots of disks are. A copy is taken while the original stands still, so it is what a standby has that received no more.
 */
export class PostgresCopies {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'copies-'));
  readonly #running = new Map<string, EmbeddedPostgres>();

  /** Starts a cluster; makes it where there is none yet. Its URL. */
  async start(name: string, settings: PostgresSettings = {}): Promise<string> {
    const postgres = postgresUnderTest({ dir: this.#path(name), settings: { ...SETTINGS, ...settings } });
    await postgres.start();
    this.#running.set(name, postgres);
    return postgres.url();
  }

  async stop(name: string): Promise<void> {
    await this.#running.get(name)?.stop();
    this.#running.delete(name);
  }

  /** Makes `to` what `from`, which is stopped, is now. */
  copy(from: string, to: string): void {
    if (this.#running.has(from) || this.#running.has(to)) throw new Error(`${from} and ${to} must be stopped`);
    rmSync(this.#path(to), { recursive: true, force: true });
    execFileSync('cp', ['-a', this.#path(from), this.#path(to)]); // with owners
  }

  /** Lets a stopped copy follow a running primary until it has everything that is committed now, and stops it: then it lags behind. */
  async catchUp(name: string, primaryUrl: string): Promise<void> {
    writeFileSync(this.#signal(name), '');
    const [place] = await query<{ lsn: string }>(primaryUrl, 'select pg_current_wal_lsn()::text as lsn');
    const { host, user, password = '' } = new pg.Client(primaryUrl);
    const url = await this.start(name, { primary_conninfo: `host=${host} user=${user ?? ''} password=${password}` });
    const replayed = `select pg_last_wal_replay_lsn() >= '${place?.lsn ?? ''}'::pg_lsn as there`;
    while (!(await query<{ there: boolean }>(url, replayed))[0]?.there) await sleep(20);
    await this.stop(name);
  }

  /** Starts a stopped copy as a standby and promotes it: its write-ahead log goes on under a new timeline. Its URL. */
  async promote(name: string): Promise<string> {
    writeFileSync(this.#signal(name), '');
    const url = await this.start(name);
    await query(url, 'select pg_promote()');
    if (existsSync(this.#signal(name))) throw new Error(`${name} is not promoted`);
    return url;
  }

  async close(): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.stop(name);
    rmSync(this.#dir, { recursive: true });
  }

  #signal(name: string): string {
    return path.join(this.#path(name), 'data/standby.signal');
  }

  #path(name: string): string {
    return path.join(this.#dir, name);
  }
}

async function query<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

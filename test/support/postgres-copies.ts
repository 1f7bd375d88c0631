import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { fastFolder } from './fast-folder.js';
import { postgresUnderTest } from './postgres-under-test.js';
import type { PostgresSettings } from '../../src/server/embedded-postgres/postgres-programs.js';
import { rowsOf } from './connected.js';

/** The clusters are temporary: the tests lose copies, never power. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '60', shared_buffers: '16MB' };

/**
 * Clusters by name, each in its own directory, that are copies of one another, as standbys, restored backups and disk snapshots are. A
 * copy is taken while the original is stopped, so it is a standby that received nothing later.
 */
export class PostgresCopies {
  readonly #dir = mkdtempSync(path.join(fastFolder(), 'copies-'));
  readonly #running = new Map<string, EmbeddedPostgres>();
  readonly [Symbol.asyncDispose] = () => this.close();

  /** Starts a cluster, which is created on first use; returns its URL. */
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

  /** Replaces `to` by the current state of `from`, which is stopped. */
  copy(from: string, to: string): void {
    if (this.#running.has(from) || this.#running.has(to)) throw new Error(`${from} and ${to} must be stopped`);
    rmSync(this.#path(to), { recursive: true, force: true });
    execFileSync('cp', ['-a', this.#path(from), this.#path(to)]); // preserving owners
  }

  /** Lets a stopped copy follow a running primary up to everything committed by now, then stops it, so that it lags behind. */
  async catchUp(name: string, primaryUrl: string): Promise<void> {
    writeFileSync(this.#signal(name), '');
    const [place] = await rowsOf<{ lsn: string }>(primaryUrl, 'select pg_current_wal_lsn()::text as lsn');
    const { host, user, password = '' } = new pg.Client(primaryUrl);
    const url = await this.start(name, { primary_conninfo: `host=${host} user=${user ?? ''} password=${password}` });
    const replayed = `select pg_last_wal_replay_lsn() >= '${place?.lsn ?? ''}'::pg_lsn as there`;
    while (!(await rowsOf<{ there: boolean }>(url, replayed))[0]?.there) await sleep(20);
    await this.stop(name);
  }

  /** Starts a stopped copy as a standby and promotes it, so that its write-ahead log continues on a new timeline; returns its URL. */
  async promote(name: string): Promise<string> {
    writeFileSync(this.#signal(name), '');
    const url = await this.start(name);
    await rowsOf(url, 'select pg_promote()');
    if (existsSync(this.#signal(name))) throw new Error(`${name} is not promoted`);
    return url;
  }

  async stopAll(): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.stop(name);
  }

  async close(): Promise<void> {
    await this.stopAll();
    rmSync(this.#dir, { recursive: true });
  }

  #signal(name: string): string {
    return path.join(this.#path(name), 'data/standby.signal');
  }

  #path(name: string): string {
    return path.join(this.#dir, name);
  }
}

import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import type { PostgresSettings } from '../../src/server/embedded-postgres/postgres-programs.js';
import { readPostmasterFile } from '../../src/server/embedded-postgres/postmaster-pid.js';
import { rowsOf } from './connected.js';
import { fastFolder } from './fast-folder.js';
import { caughtUp, copyOf } from './standby.js';
import { postgresUnderTest } from './postgres-under-test.js';

/** When the primary ended and when its standby was promoted, as performance.now() has them. */
export interface Failover {
  readonly crashed: number;
  readonly promoted: number;
}

/** A PostgreSQL with a synchronous standby, at an address that moves when the standby takes its place. */
export class PrimaryWithStandby {
  /** Of whichever is the primary. */
  readonly url: string;
  readonly #dir: string;
  readonly #primary: EmbeddedPostgres;
  readonly #standby: EmbeddedPostgres;
  readonly [Symbol.asyncDispose] = () => this.stop();

  private constructor(dir: string, primary: EmbeddedPostgres, standby: EmbeddedPostgres) {
    this.#dir = dir;
    this.#primary = primary;
    this.#standby = standby;
    this.#point(primary.url());
    this.url = primary.url().replace(new URL(primary.url()).hostname, encodeURIComponent(this.#address));
  }

  static async start(settings: PostgresSettings = {}): Promise<PrimaryWithStandby> {
    const dir = mkdtempSync(path.join(fastFolder(), 'primary-with-standby-'));
    const primary = postgresUnderTest({ dir: primaryDir(dir), settings });
    await primary.start();
    const standby = await copyOf(primary, primaryDir(dir), path.join(dir, 'b'), settings);
    await standby.start();
    await caughtUp(standby, primary);
    await rowsOf(primary.url(), `alter system set synchronous_standby_names = '*'`);
    await rowsOf(primary.url(), 'select pg_reload_conf()');
    return new PrimaryWithStandby(dir, primary, standby);
  }

  /** Kills the primary, and promotes the standby after a time in which nobody notices. */
  async failOver(unnoticedMs: number): Promise<Failover> {
    process.kill(readPostmasterFile(path.join(primaryDir(this.#dir), 'data'))?.pid ?? NaN, 'SIGKILL');
    const crashed = performance.now();
    await sleep(unnoticedMs);
    await rowsOf(this.#standby.url(), 'select pg_promote()');
    this.#point(this.#standby.url());
    return { crashed, promoted: performance.now() };
  }

  async stop(): Promise<void> {
    await this.#standby.stop();
    await this.#primary.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** The directory of the primary's socket, as a link that is replaced in one step. */
  get #address(): string {
    return path.join(this.#dir, 'address');
  }

  #point(url: string): void {
    symlinkSync(decodeURIComponent(new URL(url).hostname), `${this.#address}.new`);
    renameSync(`${this.#address}.new`, this.#address);
  }
}

function primaryDir(dir: string): string {
  return path.join(dir, 'a');
}

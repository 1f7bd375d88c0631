import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { EmbeddedPostgres } from '../../../src/server/embedded-postgres/embedded-postgres.js';
import { eventually } from '../../support/eventually.js';
import { postgresUnderTest } from '../../support/postgres-under-test.js';
import type { Outages } from './run-race.js';

const SIZE_MIB = 300;
const FULL_MS = 10_000;
const SETTINGS = { min_wal_size: '32MB', max_wal_size: '48MB', max_connections: '300' };
const GROW = `create table public.filler as select repeat('x', 5000) from generate_series(1, 1000)`;
/** Begins segments until there is no room for another one. */
const USE_UP_LOG = `do $$ begin
  for segment in 1..20 loop
    perform pg_logical_emit_message(false, 'full', 'disk');
    perform pg_switch_wal();
  end loop;
end $$`;

/** A PostgreSQL whose disk is full once: first its tables cannot grow, then its write-ahead log cannot. Needs Linux and the right to mount. */
export class FullDisk implements Outages {
  readonly databaseUrl: string;
  readonly #dir: string;
  readonly #postgres: EmbeddedPostgres;
  readonly #at: number;
  #ended = false;

  private constructor(dir: string, postgres: EmbeddedPostgres, at: number) {
    this.#dir = dir;
    this.#postgres = postgres;
    this.#at = at;
    this.databaseUrl = postgres.url();
    postgres.onUnexpectedExit((reason) => {
      this.#ended = true;
      console.log(`PostgreSQL: ${reason}`);
    });
  }

  static async start(at: number): Promise<FullDisk> {
    const dir = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m,mode=755`, 'tmpfs', dir]);
    const postgres = postgresUnderTest({ dir: path.join(dir, 'postgres'), settings: SETTINGS });
    await postgres.start();
    return new FullDisk(dir, postgres, at);
  }

  isDue(second: number): boolean {
    return second === this.#at;
  }

  async happen(database: pg.Pool): Promise<void> {
    const ballast = fill(this.#dir);
    for (const [what, statement] of Object.entries({ tables: GROW, 'the write-ahead log': USE_UP_LOG })) {
      console.log(`${what} cannot grow: ${await answerOf(database, statement)}`);
      await sleep(FULL_MS);
    }
    rmSync(ballast);
    await eventually(async () => {
      if (this.#ended) await this.#postgres.start();
      this.#ended = false;
      return (await answerOf(database, 'select')) === 'done';
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#postgres.stop();
    execFileSync('umount', [this.#dir]);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Takes all that is left; returns the file. */
function fill(dir: string): string {
  const ballast = path.join(dir, 'ballast');
  const file = openSync(ballast, 'w');
  try {
    for (let bytes = 2 ** 20; bytes >= 512;) {
      try {
        if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes /= 2;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
  return ballast;
}

function answerOf(database: pg.Pool, statement: string): Promise<string> {
  return database.query(statement).then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  );
}

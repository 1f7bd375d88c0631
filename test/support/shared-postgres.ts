import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { fastFolder } from './fast-folder.js';
import { postgresUnderTest } from './postgres-under-test.js';
import { isPostmasterOf, processExists, readPostmasterFile } from '../../src/server/embedded-postgres/postmaster-pid.js';
import { openDatabase } from '../../src/storage/database/start/open-database.js';
import { SERVER_URL_VARIABLE } from './store-url.js';
import { type TestDatabase, createEmptyDatabase, ownedUrl, TEMPLATE_VARIABLE } from './test-database.js';

const PREFIX = 'coordination-test-postgres-';

let template: TestDatabase | undefined;
let shared: { postgres: EmbeddedPostgres; dir: string } | undefined;

/**
 * One PostgreSQL for the whole run, unless TEST_DATABASE_URL or DATABASE_URL names one. Workers find it through an environment variable.
 */
export async function startSharedPostgres(): Promise<AsyncDisposable> {
  const running = { [Symbol.asyncDispose]: stopSharedPostgres };
  if (template) return running;
  await startServer();
  template = await createEmptyDatabase();
  const migrated = await openDatabase({ url: ownedUrl(template.url) }, pino({ level: 'silent' }));
  await migrated.close();
  process.env[TEMPLATE_VARIABLE] = new URL(template.url).pathname.slice(1);
  return running;
}

async function startServer(): Promise<void> {
  const existing = process.env['TEST_DATABASE_URL'] || process.env['DATABASE_URL'];
  if (existing) {
    process.env[SERVER_URL_VARIABLE] = existing;
    return;
  }
  removeLeftovers();
  const dir = mkdtempSync(path.join(fastFolder(), `${PREFIX}${process.pid}-`));
  // The cluster is temporary, so no write waits for a disk; tests of durability start clusters of their own.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '600', shared_buffers: '128MB', wal_level: 'logical' };
  const postgres = postgresUnderTest({ dir, settings });
  await postgres.start();
  shared = { postgres, dir };
  process.env[SERVER_URL_VARIABLE] = postgres.url();
}

export async function stopSharedPostgres(): Promise<void> {
  await template?.drop();
  template = undefined;
  await shared?.postgres.stop();
  if (shared) rmSync(shared.dir, { recursive: true, force: true });
  shared = undefined;
}

/** A killed run leaves its PostgreSQL behind. */
function removeLeftovers(): void {
  for (const dir of [...new Set([tmpdir(), fastFolder()])].flatMap(clustersIn)) {
    const owner = Number(path.basename(dir).slice(PREFIX.length).split('-')[0]);
    if (processExists(owner)) continue;
    const left = readPostmasterFile(path.join(dir, 'data'));
    if (left && isPostmasterOf(left.pid, path.join(dir, 'data'))) process.kill(left.pid, 'SIGQUIT');
    rmSync(dir, { recursive: true, force: true });
  }
}

function clustersIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX));
  return names.map((name) => path.join(folder, name));
}

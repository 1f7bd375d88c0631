import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { batchStatement } from '../../src/storage/postgres/write/batch-statement.js';
import type { PendingWrite } from '../../src/storage/postgres/write/pending-write.js';
import { LineageRepository } from '../../src/storage/postgres/lineage/lineage.repository.js';
import { READ_CHANGES } from '../../src/storage/postgres/log/revision-log.repository.js';
import { leaseJson } from '../load/lease-json.js';
import { spreadOf } from '../measure/statistics.js';
import { DEFAULT_SCHEMA } from '../../src/storage/database/session/database-schema.js';

const run = promisify(execFile);

/** The cost of batches of one size on this machine, in milliseconds; write-ahead log in bytes. */
export interface BatchCost {
  readonly items: number;
  /** Without the flush. */
  readonly statement: number;
  /** With the flush. */
  readonly durable: number;
  readonly walBytes: number;
  /** The time to read its changes by their revisions. */
  readonly read: number;
}

const SIZES = [1, 4, 16, 64, 256];
const REPEATS = 60;
const LINEAGE = 1;
const RESOURCE = 'leases.coordination.k8s.io';
/** About the size of the parts of a lease that leaseJson does not write: managedFields and the rest of the metadata. */
const REST = 'x'.repeat(400);

/** The measured values. */
export interface BatchCosts {
  readonly costs: readonly BatchCost[];
  /** The size of a change in the log, with its indexes. */
  readonly logBytes: number;
}

/** Sends the server's own statements to an embedded PostgreSQL with its default settings, one after the other. */
export async function measureBatches(): Promise<BatchCosts> {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-growth-'));
  const postgres = new EmbeddedPostgres({ dir });
  await postgres.start();
  const client = new pg.Client({ connectionString: postgres.url() });
  try {
    await run(process.execPath, ['dist/main.js', 'migrate', 'up', `--database-url=${postgres.url()}`]);
    await client.connect();
    await client.query(`set search_path = ${DEFAULT_SCHEMA}`);
    const batches = new Batches(client);
    await batches.prepare(Math.max(...SIZES));
    const costs: BatchCost[] = [];
    for (const items of SIZES) costs.push(await batches.measure(items));
    return { costs, logBytes: await batches.logBytes() };
  } finally {
    await client.end();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

class Batches {
  readonly #client: pg.Client;
  readonly #revisions: number[] = [];

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async prepare(leases: number): Promise<void> {
    await this.#client.query('begin');
    const repository = new LineageRepository(this.#client);
    await repository.read(true);
    await repository.begin({ id: LINEAGE, ended: 1000, above: 0, nowMs: Date.now() });
    await this.#client.query('commit');
    for (let at = 0; at < leases; at++) {
      this.#revisions.push(1);
      const values = [RESOURCE, pathOf(at), dataOf(at)];
      await this.#client.query(
        `insert into objects (resource, path, revision, terminating, uid, data) values ($1, $2, 1, false, '', $3)`,
        values,
      );
    }
  }

  async measure(items: number): Promise<BatchCost> {
    await this.#client.query('set synchronous_commit = off');
    for (let at = 0; at < REPEATS / 2; at++) await this.#write(items);
    const reads: number[] = [];
    const before = await this.#walPosition();
    const statement = await this.#median(items, async (revision) => {
      reads.push(await timed(() => this.#client.query({ ...READ_CHANGES, values: [revision, 1, items] })));
    });
    const walBytes = ((await this.#walPosition()) - before) / REPEATS;
    await this.#client.query('set synchronous_commit = on');
    const durable = await this.#median(items);
    return { items, statement, durable, walBytes: Math.round(walBytes), read: spreadOf(reads).median };
  }

  async logBytes(): Promise<number> {
    const { rows } = await this.#client.query<{ bytes: number }>(
      `select (pg_total_relation_size('revision_log_1') / (select count(*) from revision_log_1))::int as bytes`,
    );
    return rows[0]?.bytes ?? 0;
  }

  async #median(items: number, after?: (before: number) => Promise<void>): Promise<number> {
    const times: number[] = [];
    for (let at = 0; at < REPEATS; at++) {
      const { took, base } = await this.#write(items);
      times.push(took);
      await after?.(base);
    }
    return spreadOf(times).median;
  }

  async #write(items: number): Promise<{ took: number; base: number }> {
    const batch = Array.from({ length: items }, (_, at): PendingWrite => this.#renewal(at));
    const counter = { value: 0, lineage: LINEAGE, segment: 1, segmentStart: 1000 };
    const { statement, values } = batchStatement(batch, { counter, channel: '', terms: true });
    let base = 0;
    const took = await timed(async () => {
      const { rows } = await this.#client.query<{ base: string; revisions: unknown }>({ ...statement, values });
      if (rows[0] === undefined || rows[0].revisions !== null) throw new Error('a renewal was refused');
      base = Number(rows[0].base);
    });
    for (let at = 0; at < items; at++) this.#revisions[at] = base + at + 1;
    return { took, base };
  }

  #renewal(at: number): PendingWrite {
    const key = { resource: RESOURCE, namespace: 'kube-node-lease', name: `node-${at}` };
    const value = { uid: '', data: dataOf(at), terminating: false };
    const current = { ...value, key, revision: this.#revisions[at] ?? 0 };
    const unused = { lock: '', bytes: 0, since: 0, attempts: 0, resolve: () => undefined, reject: () => undefined };
    return { kind: 'M', key, value, current, path: pathOf(at), token: at, ...unused };
  }

  async #walPosition(): Promise<number> {
    const { rows } = await this.#client.query<{ at: string }>(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at`);
    return Number(rows[0]?.at);
  }
}

function pathOf(at: number): string {
  return `kube-node-lease/node-${at}`;
}

function dataOf(at: number): string {
  return `${String(leaseJson.encode(`node-${at}`, ''))}${REST}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

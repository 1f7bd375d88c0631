import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { Database } from '../../../src/storage/database/database.js';
import type { Statement } from '../../../src/storage/database/statement/statement.js';
import { COMMIT_BATCH, COMMIT_UPDATES } from '../../../src/storage/postgres/write/batch-statement.js';
import { CHANGE_TERMS, COMMIT_TERMS } from '../../../src/storage/postgres/terms/term-writer.js';
import { GET_OBJECT, LIST_OBJECTS } from '../../../src/storage/postgres/read/object.repository.js';
import { COUNT_HISTORICAL_STATES, LIST_HISTORICAL_STATES } from '../../../src/storage/postgres/read/historical-state.repository.js';
import { READ_CHANGES, READ_NEWEST, READ_STATES } from '../../../src/storage/postgres/log/revision-log.repository.js';
import {
  COPY_STATE_VERSIONS,
  LIST_STATE_VERSIONS,
  READ_NEWEST_VERSION,
  READ_STATE_VERSION,
  REMOVE_STATES_OF_NAMESPACE,
} from '../../../src/storage/postgres/states/state.repository.js';
import { CLAIM_ANNOUNCEMENTS } from '../../../src/storage/postgres/terms/lapses.js';
import { LIST_ORPHANED_TERMS } from '../../../src/storage/postgres/terms/term-comparison.js';
import { LIST_HISTORICAL_TERMS, LIST_TERMS } from '../../../src/storage/postgres/terms/term-reader.js';
import { value, Workspace } from '../../suites/store-under-test.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

describe('the hot statements', () => {
  const fixture = forAllTests(() => openFixture(1));
  const database = forAllTests(() => new Database({ url: fixture.url }, silent));
  beforeAll(async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const objects = await Promise.all(Array.from({ length: 2_000 }, (_, i) => space.create(`ns-${i % 10}/lease-${i}`, 'x'.repeat(200))));
    await store!.compactor.rotate();
    await Promise.all(objects.map((object) => space.update(object, 'y'.repeat(200))));
    await fixture.client.query(
      `insert into lease_term (segment, namespace, lease, token, uid, lease_uid, holder, began, until, created, revision)
       select i % 2, 'ns-' || i % 10, 'lease-' || i / 4, i, 'u', 'u', 'holder-' || i % 100, now(), case i % 2 when 1 then now() end, i, i
       from generate_series(1, 4000) i where i % 4 <= 1`,
    );
    await fixture.client.query(`
      insert into terraform_state (path, newest, bytes) select 'ns-' || i % 10 || '/lease-' || i, 10, 20 from generate_series(1, 1000) i;
      insert into terraform_state_version (path, version, written, writer, bytes, data)
      select path, version, now(), 'w', 2, '{}' from terraform_state, generate_series(1, 10) version`);
    await fixture.client.query('analyze');
  });

  /** The plan that every execution uses, under the settings of the store's sessions. */
  const plan = async ({ text }: Statement, ...parameters: string[]) => {
    const client = await database.connect('maintenance');
    try {
      await client.query(`prepare hot as ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute hot${parameters.length > 0 ? `(${parameters.join(', ')})` : ''}`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    } finally {
      await client.end();
    }
  };
  const scannedWhole = (text: string) =>
    [...text.matchAll(/Seq Scan on (\S+)/g)].map(([, table]) => table).filter((table) => !/^(revision_counter|compaction)$/.test(table!));

  /**
   * The parameters of both batch statements: tokens 7 and 8, the least time and each one's own, resources, paths, uids, terminating,
   * data, expected, no earlier states, and the lineage.
   */
  const columns = [
    `''`,
    `'{7,8}'`,
    `'1000'`,
    `'{1000,9}'`,
    `'{r,r}'`,
    `'{a,b}'`,
    `'{u,v}'`,
    `'{f,f}'`,
    `'{x,y}'`,
    `'{1,2}'`,
    `'{}'`,
    `'{}'`,
    `'{}'`,
    '1',
  ];
  const byKey =
    /Index Cond: \(\(resource = \(?\w+.(container_)?resource\)?(::text\))? AND \(path = \(?\w+.(container_)?path\)?(::text\))?\)/g;

  it('commit a batch by primary key only', async () => {
    const text = await plan(COMMIT_BATCH, '2', '1', ...columns, `'{M,A}'`, `'{}'`, `'{}'`);
    expect(text.match(/Index Scan using objects_pkey on objects/g)).toHaveLength(3);
    expect(text.match(byKey)).toHaveLength(3);
    expect(text).toMatch(/LockRows/);
    expect(scannedWhole(text)).toEqual([]);
  });

  it('commit updates by primary key, with no other lookup', async () => {
    const text = await plan(COMMIT_UPDATES, '2', '1', ...columns);
    expect(text.match(/Index Scan using objects_pkey on objects/g)).toHaveLength(1);
    expect(text.match(byKey)).toHaveLength(1);
    expect(text).toContain('(lineage = $16) AND (server_started = pg_postmaster_start_time())');
    expect(text).not.toMatch(/LockRows|Append|Delete on|Conflict|Sort|Hash/);
    expect(scannedWhole(text)).toEqual([]);
  });

  it('look at the versions of the counter since the last rotation only, beside an old snapshot', async () => {
    const idle = await database.connect('command');
    await idle.query('begin isolation level repeatable read');
    await idle.query('select from objects limit 1');
    try {
      for (let n = 0; n < 2; n++) {
        await fixture.client.query(`do $$ begin
          for i in 1..3000 loop update revision_counter set value = value + 1; commit; end loop;
        end $$`);
      }
      await fixture.stores[0]!.compactor.rotate();
      const client = await database.connect('maintenance');
      const visited = async (statement: string) => {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
          `explain (analyze, buffers, format json) ${statement}`,
        );
        return rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
      };
      const commit = await visited(`update revision_counter set value = value + 1 where segment = (select max(segment) from log_segment)`);
      // as SQL procedures take one; compiled and planned beforehand
      await client.query('select lease_revision()');
      const procedure = await visited('select lease_revision()');
      await client.end();
      const [pages] = await fixture.rows<{ all: number }>(`select pg_relation_size('revision_counter') / 8192 as all`);
      expect(pages!.all).toBeGreaterThan(60);
      expect(commit).toBeLessThan(30);
      expect(procedure).toBeLessThan(30);
    } finally {
      await idle.end();
    }
    expect(await plan(COMMIT_UPDATES, '2', '1', ...columns)).toMatch(/Index Scan using revision_counter_segment on revision_counter/);
    expect(await plan(COMMIT_TERMS, '2', '1', ...columns, `'{M,A}'`, `'{}'`, `'{}'`, '2', `'[]'`)).toMatch(
      /Index Scan using revision_counter_segment on revision_counter/,
    );
  });

  it('record terms by the same keys, and call the function that changes them once', async () => {
    const text = await plan(COMMIT_TERMS, '2', '1', ...columns, `'{M,A}'`, `'{}'`, `'{}'`, '2', `'[]'`);
    expect(text.match(/Index Scan using objects_pkey on objects/g)).toHaveLength(3);
    expect(text.match(/Function Scan on lease_change_terms/g)).toHaveLength(1);
    expect(scannedWhole(text)).toEqual([]);
    const corrections = await plan(CHANGE_TERMS, '2', '1', `''`, '1', `'[]'`);
    expect(corrections.match(/Function Scan on lease_change_terms/g)).toHaveLength(1);
    expect(scannedWhole(corrections)).toEqual([]);
  });

  it('change terms by their leases, among the open ones alone', async () => {
    const [row] = await fixture.rows<{ source: string }>(`select prosrc as source from pg_proc where proname = 'lease_change_terms'`);
    const query = /return query(.*);\s*end/s.exec(row!.source)![1]!;
    const argument = (name: string, parameter: string) => (text: string) =>
      text.replaceAll(new RegExp(`\\b${name}\\b(?! \\w)`, 'g'), () => parameter);
    const text = [argument('after', '$1'), argument('log_segment', '$2::integer'), argument('changes', '$3')].reduce(
      (given, replace) => replace(given),
      query,
    );
    const explained = await plan({ name: 'lease_change_terms', text }, '1000', '1', `'[]'`);
    expect(explained.match(/Index Scan using (lease_term_open|lease_term_0_lease_namespace_idx) on lease_term_0/g)).toHaveLength(1);
    expect(explained).not.toMatch(/Scan.* on lease_term_1/);
    expect(scannedWhole(explained)).toEqual([]);
  });

  it('list terms in the order of their paths, and those of one lease or holder by its index', async () => {
    const range = [`'ns-1/'`, `'ns-10'`, '500'];
    for (const [statements, ...moment] of [
      [LIST_TERMS, '9000'],
      [LIST_HISTORICAL_TERMS, '9000', '3000', '2'],
    ] as const) {
      const page = await plan(statements.all, ...range, `''`, ...moment);
      expect(page).toMatch(/Limit.*Merge Append/s);
      expect(page.match(/Index Scan using lease_term_\d_path_idx/g)).toHaveLength(2);
      const lease = await plan(statements.lease, ...range, `'lease-7'`, ...moment);
      expect(lease.match(/Index Scan using lease_term_\d_lease_namespace_idx/g)).toHaveLength(2);
      const holder = await plan(statements.holder, ...range, `'holder-7'`, ...moment);
      expect(holder.match(/Index Scan using lease_term_\d_holder_idx/g)).toHaveLength(2);
      for (const text of [page, lease, holder]) {
        expect(scannedWhole(text)).toEqual([]);
        if (statements === LIST_HISTORICAL_TERMS) expect(text).toMatch(/Index Cond: .*path = .*path.* AND .*revision > \$6/);
        else expect(text).not.toContain('revision_log');
      }
    }
  });

  it('list the newest terms of a lease by its index', async () => {
    const range = [`'ns-1/'`, `'ns-10'`, '500', `'lease-7'`];
    const now = await plan(LIST_TERMS.newest, ...range, '4000');
    const at = await plan(LIST_HISTORICAL_TERMS.newest, ...range, '4000', '3000', '2');
    for (const text of [now, at]) {
      expect(text.match(/Index Scan using lease_term_\d_lease_namespace_idx/g)).toHaveLength(2);
      expect(scannedWhole(text)).toEqual([]);
    }
    expect(now).not.toContain('revision_log');
  });

  it('list the terms that last among the open ones alone', async () => {
    const text = await plan(LIST_TERMS.open, `'ns-1/'`, `'ns-10'`, '500', `''`, '9000');
    expect(text).toMatch(/Limit.*Index Scan using lease_term_0_path_idx/s);
    expect(text).not.toContain('lease_term_1');
  });

  it('look for terms without leases by keys', async () => {
    const orphans = await plan(LIST_ORPHANED_TERMS, '500');
    expect(orphans).toMatch(/Index Scan using lease_term_open on lease_term_0/);
    expect(scannedWhole(orphans)).toEqual([]);
  });

  it('claim announcements that are due, and look at no others', async () => {
    const explained = await plan(CLAIM_ANNOUNCEMENTS, '32', '15');
    expect(explained).toMatch(/Index Scan using lease_announcement_due on lease_announcement\n +Index Cond: \(due <= /);
    expect(explained).toMatch(/Index Scan using lease_announcement_pkey on lease_announcement a\n +Index Cond: \(id = ANY/);
    expect(explained).not.toContain('Filter');
    expect(scannedWhole(explained)).toEqual([]);
  });

  it('read states by their keys', async () => {
    const newest = await plan(READ_NEWEST_VERSION, `'ns-1/lease-1'`);
    expect(newest).toMatch(/LockRows\n.*Index Scan using terraform_state_pkey on terraform_state\n +Index Cond: \(path = \$1\)/);
    const version = await plan(READ_STATE_VERSION, `'ns-1/lease-1'`, '3');
    expect(version).toContain('Index Cond: ((path = $1) AND (version = $2))');
    const versions = await plan(LIST_STATE_VERSIONS, `'ns-1/lease-1'`);
    expect(versions).toMatch(
      /Index Scan Backward using terraform_state_version_pkey on terraform_state_version\n +Index Cond: \(path = \$1\)/,
    );
    const copied = await plan(COPY_STATE_VERSIONS, `'ns-1/lease-1'`, '3', '10');
    expect(copied).toContain('Index Cond: (ROW(path, version) > ROW($1, $2))');
    const removed = await plan(REMOVE_STATES_OF_NAMESPACE, `'ns-1'`, `'u'`, `'ns-1/'`, `'ns-10'`);
    expect(removed).toContain('Index Cond: ((path > $3) AND (path < $4))');
    for (const text of [newest, version, versions, copied, removed]) expect(scannedWhole(text)).toEqual([]);
  });

  it('get an object by primary key', async () => {
    const text = await plan(GET_OBJECT, `'r'`, `'ns/a'`);
    expect(text).toContain('Index Scan using objects_pkey');
    expect(text).toContain('Index Cond: ((resource = $1) AND (path = $2))');
    expect(scannedWhole(text)).toEqual([]);
  });

  it('list a page in primary key order without sorting the range', async () => {
    const text = await plan(LIST_OBJECTS, `'r'`, `'a'`, `'b'`, '500');
    expect(text).toMatch(/Limit\s+->\s+Index Scan using objects_pkey/);
    expect(text).toContain('Index Cond: ((resource = $1) AND (path >= $2) AND (path < $3))');
  });

  it('read the newest revision without touching the log', async () => {
    const text = await plan(READ_NEWEST);
    expect(text).not.toContain('revision_log');
    expect(text).not.toMatch(/Sort|Hash/);
  });

  it('read changes by revision, in the newest segments only', async () => {
    const text = await plan(READ_CHANGES, '3000', '2', '1000', '4000000');
    expect(text).toMatch(/Index Scan using revision_log_2_revision_idx/);
    expect(text).toContain('Index Cond: (revision > $1)');
    expect(text).toMatch(/Subplans Removed: 1/);
    expect(scannedWhole(text)).toEqual([]);
  });

  it('find previous and past states by key', async () => {
    const states = await plan(READ_STATES, `'{r}'`, `'{a}'`, `'{3}'`, '2');
    expect(states).toMatch(/Index Cond: \(.*\(?revision = wanted.revision\)/);
    const past = await plan(LIST_HISTORICAL_STATES, `'r'`, `'a'`, `'b'`, '2', '3000', '500');
    const count = await plan(COUNT_HISTORICAL_STATES, `'r'`, `'a'`, `'b'`, '2', '3000');
    for (const text of [past, count]) {
      expect(text).toContain('Index Cond: ((resource = $1) AND (path >= $2) AND (path < $3) AND (revision > $5))');
    }
    for (const text of [states, past, count]) expect(scannedWhole(text)).toEqual([]);
  });

  it('renew leases in place: HOT updates, for the counter too', async () => {
    const counts = async () => {
      const rows = await fixture.rows<{ name: string; updated: number; hot: number }>(
        `select relname as name, n_tup_upd as updated, n_tup_hot_upd as hot from pg_stat_user_tables where relname in ('objects', 'revision_counter')`,
      );
      return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]));
    };
    const names = Array.from({ length: 100 }, (_, i) => `renewed/lease-${i}`);
    const firstStore = await fixture.open();
    let objects = await Promise.all(names.map((name) => new Workspace(firstStore).create(name, 'x'.repeat(400))));
    await firstStore.close();
    const renewals = async () => {
      const before = await counts();
      const store = await fixture.open();
      for (let round = 0; round < 30; round++) {
        objects = await Promise.all(objects.map((object) => store.update(object, { ...value('y'.repeat(400)), uid: object.uid })));
      }
      // a session reports its counts when it ends
      await store.close();
      await eventually(async () => (await counts())['objects']!.updated >= before['objects']!.updated + 3_000);
      const after = await counts();
      return ['objects', 'revision_counter'].map((table) => {
        const updated = after[table]!.updated - before[table]!.updated;
        return { table, inPlace: (after[table]!.hot - before[table]!.hot) / updated };
      });
    };
    // PostgreSQL clears no page while any snapshot of the database may still read it, and a busy machine makes snapshots last.
    await eventually(async () => (await renewals()).every(({ inPlace }) => inPlace > 0.9));
  });
});

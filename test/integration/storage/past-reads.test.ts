import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import { Database } from '../../../src/storage/database/database.js';
import type { Statement } from '../../../src/storage/database/statement/statement.js';
import { COUNT_HISTORICAL_STATES, LIST_HISTORICAL_STATES } from '../../../src/storage/postgres/read/historical-state.repository.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { exact, latest, refusalCode, Workspace } from '../../suites/store-under-test.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

describe('lists of earlier revisions', () => {
  let store: PostgresStore;

  const fixture = forEachTest(() => openFixture(1));
  beforeEach(() => {
    store = fixture.stores[0]!;
  });

  /**
   * A session like the store's that plans the statement now, while the tables are almost empty; returns a function that explains a later
   * execution. Plans are kept until statistics arrive.
   */
  const planned = async ({ text }: Statement, values: string[]) => {
    const database = new Database({ url: fixture.url }, silent);
    const client = await database.connect('maintenance');
    const count = Math.max(...[...text.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)));
    await client.query(`prepare past as ${text}`);
    await client.query(`execute past(${values.slice(0, count).join(', ')})`);
    return async (later: string[]) => {
      const run = `explain (analyze, costs off, timing off) execute past(${later.slice(0, count).join(', ')})`;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(run);
      await client.end();
      await database.close();
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
  };

  it('take time in proportion to the rows, in tables without statistics', async () => {
    const space = new Workspace(store);
    const count = 2_000;
    await fixture.client.query('alter table objects set (autovacuum_enabled = off)');
    // statistics of an empty database are as bad as none
    await fixture.client.query('analyze objects, revision_log_1');
    const values = (revision: number) => [`'${space.resource}'`, `'ns/'`, `'ns0'`, '1', String(revision), 'null'];
    const plans = await Promise.all(
      [LIST_HISTORICAL_STATES, COUNT_HISTORICAL_STATES].map((statement) => planned(statement, values(1_000))),
    );
    const objects = await Promise.all(Array.from({ length: count }, (_, i) => space.create(`ns/${String(i).padStart(5, '0')}`, 'old')));
    const at = await store.currentRevision();
    await Promise.all(objects.map((object, i) => (i % 3 === 0 ? store.delete(object) : space.update(object, 'new'))));
    const listed = await store.list(space.range(), { consistency: exact(at) });
    expect(listed.objects).toEqual(objects);
    const page = await store.list(space.range(), { consistency: exact(at), limit: 10 });
    expect(page).toMatchObject({ objects: objects.slice(0, 10), remaining: count - 10, more: true });

    for (const explain of plans) {
      const plan = await explain(values(at));
      const compared = [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)].map(([, rows]) => Number(rows));
      expect(compared.filter((rows) => rows > count)).toEqual([]);
      expect(plan).toContain('Index');
    }
  });

  it('do not delay other requests, and are rejected when there are too many', async () => {
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    await space.update(a, 'second');
    const before = await store.currentRevision();
    await fixture.client.query('begin; lock table log_segment, revision_log in access exclusive mode');
    const lists = Array.from({ length: 40 }, () =>
      refusalCode(store.list(space.range(), { consistency: exact(a.revision) })).catch(() => 'listed'),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await store.get(a.key, latest)).object).toMatchObject({ data: 'second' });
    expect(await store.currentRevision()).toBe(before);
    await fixture.client.query('commit');
    const answers = await Promise.all(lists);
    expect(answers.filter((answer) => answer === 'listed')).toHaveLength(22);
    expect(answers.filter((answer) => answer === 'TooManyReads')).toHaveLength(18);
  });
});

import { expect, test } from '@jest/globals';
import { withExistingDatabase } from '../../../src/storage/maintenance/with-existing-database.js';
import { verifyDatabase } from '../../../src/storage/maintenance/verify-database.js';
import { forAllTests } from '../../support/for-tests.js';
import { storeUrl } from '../../support/store-url.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

/*
 * `verify` names each index that is gone: of what is unique, and of what keeps a statement from reading a whole table.
 */
interface Index {
  readonly name: string;
  readonly table: string;
  readonly drop: string;
  readonly create: string;
}

const fixture = forAllTests(() => openFixture(1));
const verify = () => withExistingDatabase({ url: storeUrl(fixture.url) }, silent, (database) => verifyDatabase(database));

/** A constraint's goes with the constraint. Of partitioned tables, those of the partitions go with the parent's. */
const INDEXES = `
  select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table,
         case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
              else format('alter table %s drop constraint %I cascade', i.indrelid::regclass, c.conname) end as drop,
         case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
              else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as create
  from pg_index i join pg_class t on t.oid = i.indrelid left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
  where t.relnamespace = 'coordination_tables'::regnamespace and t.relkind in ('r', 'p') and t.relname !~ '^schema_migration'
    and not exists (select from pg_inherits p where p.inhrelid = i.indexrelid)
  order by 1`;

test('verify names each index that is gone', async () => {
  expect((await verify()).findings).toEqual([]);
  const indexes = await fixture.rows<Index>(INDEXES);
  expect(indexes.length).toBeGreaterThan(20);
  for (const { name, table, drop, create } of indexes) {
    await fixture.client.query(drop);
    const { findings } = await verify();
    expect([name, findings]).toEqual([name, [{ where: table, problem: expect.stringMatching(/^it lacks the index /) }]]);
    await fixture.client.query(create);
  }
  expect((await verify()).findings).toEqual([]);
});

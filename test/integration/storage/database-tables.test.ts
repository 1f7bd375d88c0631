import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type SqlType, DATABASE_INDEXES, DATABASE_TABLES } from '../../../src/storage/database/statement/database-tables.js';
import { openFixture } from './postgres-fixture.js';

/** What migrations themselves need, which no statement of the server reads. */
const MIGRATION_TABLES = ['schema_migration', 'schema_migration_lock'];

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly has_default: boolean;
}

describe('the table types', () => {
  const fixture = forAllTests(() => openFixture(1));

  /** All tables except the partitions of the log, which have their parent's columns. */
  const migrated = async () => {
    const rows = await fixture.rows<ColumnRow>(
      `select c.table_name as table, c.column_name as column, c.data_type as type, c.is_nullable = 'YES' as nullable,
              c.column_default is not null as has_default
       from information_schema.columns c
       join pg_class relation on relation.relname = c.table_name and relation.relnamespace = c.table_schema::regnamespace
       where relation.relkind in ('r', 'p') and not relation.relispartition and c.table_schema = (
         select relnamespace::regnamespace::text from pg_class where oid = 'objects'::regclass)`,
    );
    return rows
      .filter(({ table }) => !MIGRATION_TABLES.includes(table) && !/^revision_log_[0-9]+$/.test(table))
      .map(({ table, column, type, nullable, has_default }) => describeColumn(table, column, { type, nullable, hasDefault: has_default }))
      .sort();
  };
  const describeColumn = (
    table: string,
    column: string,
    { type, nullable, hasDefault }: { type: string; nullable: boolean; hasDefault: boolean },
  ) => `${table}.${column} ${type}${nullable ? '' : ' not null'}${hasDefault ? ' default' : ''}`;

  it('have exactly the columns that the migrations create, with types, nulls and defaults', async () => {
    const tables: Readonly<Record<string, Readonly<Record<string, SqlType<unknown>>>>> = DATABASE_TABLES;
    const typed = Object.entries(tables).flatMap(([table, columns]) =>
      Object.entries(columns).map(([column, { name, nullable, hasDefault }]) =>
        describeColumn(table, column, { type: name, nullable, hasDefault }),
      ),
    );
    expect(typed.sort()).toEqual(await migrated());
  });

  it('have exactly the indexes that are described', async () => {
    const rows = await fixture.rows<{ index: string }>(
      `select i.indrelid::regclass::name || case when i.indisunique then ' unique' else '' end
              || substring(pg_get_indexdef(i.indexrelid) from ' [(].*') as index
       from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = (select relnamespace from pg_class where oid = 'objects'::regclass) and (not c.relispartition or c.relname = 'lease_term_0' and not exists (select from pg_inherits p where p.inhrelid = i.indexrelid))`,
    );
    const indexes = rows.map(({ index }) => index).filter((index) => !MIGRATION_TABLES.includes(index.split(' ')[0] ?? ''));
    expect([...DATABASE_INDEXES].sort()).toEqual(indexes.sort());
  });

  it('differ once a migration adds a column or a table', async () => {
    const before = await migrated();
    await fixture.client.query('alter table objects add column added text; create table added (id integer)');
    try {
      expect((await migrated()).filter((column) => !before.includes(column))).toEqual(['added.id integer', 'objects.added text']);
    } finally {
      await fixture.client.query('drop table added; alter table objects drop column added');
    }
  });
});

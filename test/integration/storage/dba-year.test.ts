import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { openFixture } from './postgres-fixture.js';
import { summary, TermReplica } from './term-replica.js';

const held = (holderIdentity: string) => ({ holderIdentity, leaseDurationSeconds: 60, renewTime: microTime(Date.now()) });

/** What an administrator may do in a year to a database that servers use, and how it is undone. */
interface Deed {
  readonly name: string;
  readonly statements: readonly string[];
  readonly undo: readonly string[];
  /** Whether terms cannot be recorded meanwhile. */
  readonly withoutTerms?: true;
}

const AUDIT = [
  'create table audit (at timestamptz default now(), what text, old text, new text)',
  `create function audit() returns trigger language plpgsql as $$
   begin insert into audit (what, old, new) values (tg_op || ' ' || tg_table_name, old::text, new::text); return null; end $$`,
];
const TABLES = ['objects', 'revision_counter', 'revision_log', 'lease_term', 'lease_term_segment', 'compaction'];
const on = (tables: readonly string[], statement: (table: string) => string) => tables.map(statement);

const DEEDS: readonly Deed[] = [
  { name: 'a publication for all tables', statements: ['create publication p for all tables'], undo: ['drop publication p'] },
  {
    name: 'a publication of the tables of the schema, one by one',
    statements: [`create publication p for table ${TABLES.join(', ')} with (publish_via_partition_root = true)`],
    undo: ['drop publication p'],
  },
  {
    name: 'a physical replication slot that nobody reads',
    statements: [
      `select pg_create_physical_replication_slot('idle_' || (select oid from pg_database where datname = current_database()), true)`,
    ],
    undo: [`select pg_drop_replication_slot('idle_' || (select oid from pg_database where datname = current_database()))`],
  },
  {
    name: 'a logical replication slot that nobody reads, where logical replication is on',
    statements: [
      `select pg_create_logical_replication_slot('stopped_' || (select oid from pg_database where datname = current_database()), 'pgoutput')
       where current_setting('wal_level') = 'logical'`,
    ],
    undo: [
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_type = 'logical' and database = current_database()`,
    ],
  },
  {
    name: 'a publication for tables in a schema, from PostgreSQL 15 on',
    statements: [
      `do $$ begin
         if current_setting('server_version_num')::int >= 150000 then execute 'create publication p for tables in schema coordination'; end if;
       end $$`,
    ],
    undo: ['drop publication if exists p'],
  },
  {
    name: 'row security on every table, forced, with a policy that lets everything through',
    statements: on(
      TABLES,
      (table) =>
        `alter table ${table} enable row level security, force row level security; create policy all_of_it on ${table} using (true) with check (true)`,
    ),
    undo: on(
      TABLES,
      (table) => `drop policy all_of_it on ${table}; alter table ${table} disable row level security, no force row level security`,
    ),
  },
  {
    name: 'audit triggers on every table',
    statements: [
      ...AUDIT,
      ...on(TABLES, (table) => `create trigger audit after insert or update or delete on ${table} for each row execute function audit()`),
    ],
    undo: [...on(TABLES, (table) => `drop trigger audit on ${table}`), 'drop function audit', 'drop table audit'],
  },
  {
    name: 'audit triggers of statements, with transition tables',
    statements: [
      'create table counts (n bigint)',
      `create function count_rows() returns trigger language plpgsql as $$ begin insert into counts select count(*) from new; return null; end $$`,
      ...on(
        ['objects', 'lease_term'],
        (table) =>
          `create trigger counts after insert on ${table} referencing new table as new for each statement execute function count_rows()`,
      ),
    ],
    undo: [...on(['objects', 'lease_term'], (table) => `drop trigger counts on ${table}`), 'drop function count_rows', 'drop table counts'],
  },
  {
    name: 'an audit trigger on terms whose table is gone',
    statements: [
      ...AUDIT,
      'create trigger audit after insert or update or delete on lease_term for each row execute function audit()',
      'drop table audit',
    ],
    undo: ['drop trigger audit on lease_term', 'drop function audit'],
    withoutTerms: true,
  },
  {
    name: 'a check on terms that nothing passes',
    statements: ['alter table lease_term add constraint never check (false) not valid'],
    undo: ['alter table lease_term drop constraint never'],
    withoutTerms: true,
  },
  {
    name: 'an update that has broken PL/pgSQL',
    statements: [`update pg_proc set probin = '$libdir/gone' where proname = 'plpgsql_call_handler'`],
    undo: [`update pg_proc set probin = '$libdir/plpgsql' where proname = 'plpgsql_call_handler'`],
    withoutTerms: true,
  },
  {
    name: 'an event trigger that notes changes of the schema',
    statements: [
      'create table ddl (at timestamptz default now(), what text)',
      `create function note_ddl() returns event_trigger language plpgsql as $$ begin insert into ddl (what) values (tg_tag); end $$`,
      'create event trigger note_ddl on ddl_command_end execute function note_ddl()',
    ],
    undo: ['drop event trigger note_ddl', 'drop function note_ddl', 'drop table ddl'],
  },
  {
    name: 'row security, enabled',
    statements: on(TABLES, (table) => `alter table ${table} enable row level security`),
    undo: on(TABLES, (table) => `alter table ${table} disable row level security`),
  },
  {
    name: 'further columns, indexes, statistics and storage parameters',
    statements: [
      'alter table objects add column note text',
      'create index by_revision on objects (revision)',
      'create index by_content on objects (md5(data))',
      'alter table objects alter column data set statistics 0',
      'alter table objects alter column path set statistics 10000',
      'create statistics objects_statistics on resource, path from objects',
      'alter table objects set (fillfactor = 100, autovacuum_enabled = off)',
      'analyze objects',
    ],
    undo: [
      'drop statistics objects_statistics',
      'drop index by_revision, by_content',
      'alter table objects drop column note',
      'alter table objects set (fillfactor = 50), reset (autovacuum_enabled)',
    ],
  },
  {
    name: 'default partitions attached to the log and to terms',
    statements: [
      'create table other_log partition of revision_log default',
      'create table other_terms partition of lease_term default',
      'alter table other_terms replica identity full',
    ],
    undo: ['drop table other_log', 'drop table other_terms'],
  },
  {
    name: 'tables rewritten and indexes rebuilt',
    statements: [
      'vacuum full objects',
      'cluster objects using objects_pkey',
      'reindex table concurrently objects',
      'vacuum (freeze, analyze)',
    ],
    undo: ['alter table objects set without cluster'],
  },
];

describe('while an administrator has made', () => {
  const fixture = forAllTests(() => openFixture(0));
  const replica = forAllTests(() => TermReplica.open(fixture.url));
  beforeAll(async () => {
    await replica.registry.withNamespace();
    for (const n of [1, 2, 3]) await replica.create(`renewed-${n}`, held('steady'));
  });

  const run = async (statements: readonly string[]) => {
    for (const statement of statements) await fixture.client.query(statement);
  };

  /** Every kind of write, those of several leases at once. */
  const writeAll = async (name: string) => {
    await Promise.all([1, 2, 3].map((n) => replica.write(`renewed-${n}`, held('steady'))));
    await replica.create(name, held('a'));
    await Promise.all([replica.write(name, held('b')), ...[1, 2, 3].map((n) => replica.write(`renewed-${n}`, held('steady')))]);
    await replica.write(name, held('b'));
    await replica.write(name, { holderIdentity: '' });
    await replica.create(`${name}-2`, held('a'));
    await Promise.all([replica.delete(`${name}-2`), replica.create(`${name}-3`)]);
  };

  it.each(DEEDS.map((deed, at) => [deed.name, deed, at] as const))(
    '%s, every write takes effect, and servers start',
    async (_, deed, at) => {
      const name = `lease-${at}`;
      await run(deed.statements);
      try {
        await writeAll(name);
        await replica.postgres.checkWrites();
        await replica.postgres.compactor.rotate();
        await using another = await TermReplica.open(fixture.url);
        await another.create(`${name}-4`, held('c'));
        await another.postgres.checkWrites();
        await another.delete(`${name}-4`);
      } finally {
        await run(deed.undo);
      }
      expect(summary(await replica.history(name))).toEqual(deed.withoutTerms ? [] : ['a Ended Replaced', 'b Ended Released']);
      await writeAll(`${name}-after`);
      expect(summary(await replica.history(`${name}-after`))).toEqual(['a Ended Replaced', 'b Ended Released']);
    },
  );

  it('a trigger that refuses one lease, a server that nobody else writes to stays ready', async () => {
    await replica.create('refused', held('a'));
    await run([
      `create function refuse() returns trigger language plpgsql as $$
       begin if new.path like '%refused%' then raise 'not this one'; end if; return new; end $$`,
      'create trigger refuse before insert or update on objects for each row execute function refuse()',
    ]);
    try {
      for (let times = 0; times < 2; times++) {
        await expect(replica.write('refused', held('b'))).rejects.toThrow('could not be completed');
        await replica.postgres.checkWrites();
      }
      await expect(replica.create('refused-too', held('b'))).rejects.toThrow();
      await expect(replica.postgres.checkWrites()).rejects.toThrow('not this one');
      await replica.write('renewed-1', held('steady'));
      await replica.postgres.checkWrites();
    } finally {
      await run(['drop trigger refuse on objects', 'drop function refuse']);
    }
  });

  it('a trigger that refuses some leases, these fail and no others, whatever the error', async () => {
    const leases = Array.from({ length: 60 }, (_, n) => `of-many-${n}`);
    await Promise.all(leases.map((name) => replica.create(name, held('a'))));
    for (const code of ['P0001', '55000', '42501', '58030', 'XX000', '0A000', '53100', '22023']) {
      await run([
        `create function refuse() returns trigger language plpgsql as $$
         begin if new.path like '%-7' then raise 'not this one' using errcode = '${code}'; end if; return new; end $$`,
        'create trigger refuse before insert or update on objects for each row execute function refuse()',
      ]);
      const results = await Promise.allSettled(leases.map((name) => replica.write(name, held('a'))));
      await run(['drop trigger refuse on objects', 'drop function refuse']);
      const failed = results.flatMap(({ status }, n) => (status === 'rejected' ? [leases[n]!.slice('of-many-'.length)] : []));
      expect([code, failed]).toEqual([code, ['7']]);
    }
  });

  it('tables of its own, those of the server have an identity each where rows are updated or deleted', async () => {
    const without = await fixture.rows<{ name: string }>(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'coordination_tables'::regnamespace and c.relkind in ('r', 'p') and c.relreplident = 'd'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
      order by 1`);
    // rows of the log are only inserted, and the other table has none
    expect(without.map(({ name }) => name.replace(/_\d+$/, '_N')).filter((name, i, all) => all.indexOf(name) === i)).toEqual([
      'lease_writer_queue',
      'revision_log',
      'revision_log_N',
    ]);
  });
});

import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { openFixture } from '../storage/postgres-fixture.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { LeaseClient } from './lease-client.js';

/*
 * A role with what lease_grant gives, PostgreSQL's default rights, and a schema of its own, that wants to run something as the owner of the
 * schema. Whatever it defines notes as whom it runs; that must never be anybody but itself.
 */
const id = randomBytes(4).toString('hex');
const attacker = `attacker_${id}`;
const stranger = `stranger_${id}`;

const fixture = forAllTests(() => openFixture(1, { compactionIntervalMs: 0 }));
let session: LeaseClient;
let token: number;

beforeAll(async () => {
  await fixture.client.query(`create role ${attacker} login password 'x'; create schema evil authorization ${attacker};
    create role ${stranger}; create schema strange authorization ${stranger};
    create table strange.t (token bigint); alter table strange.t owner to ${stranger};
    grant usage on schema strange to ${attacker}; grant trigger, insert on strange.t to ${attacker};
    select coordination.lease_grant('${attacker}', 'default')`);
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  session = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${attacker}:x@`));
  token = (await session.acquire('theirs', 'a')).token!;
  // a sequence keeps what a rollback would undo
  await session.session
    .query(`create sequence evil.as_others; grant all on schema evil to public; grant all on sequence evil.as_others to public;
    create function evil.note() returns void language plpgsql as $$ begin
      if current_user <> '${attacker}' then perform nextval('evil.as_others'); end if;
    end $$`);
});
afterEach(async () => {
  await session.session.query('rollback');
  await session.session.query('discard temp; alter sequence evil.as_others restart');
});
afterAllTests(async () => {
  await session.close();
  await fixture.client.query(`drop schema evil cascade; drop owned by ${attacker}, ${stranger}; drop role ${attacker}, ${stranger}`);
});

/** Whether anything of the attacker's own ran as somebody else. */
const ranAsOthers = async () => (await fixture.rows<{ ran: boolean }>('select is_called as ran from evil.as_others'))[0]!.ran;

/** What an attempt was answered: the SQLSTATE, or 'done'. Everything runs that would at a commit, and nothing is left of it. */
async function attempt(statements: string): Promise<string> {
  await session.session.query('begin');
  try {
    await session.session.query(statements.replaceAll('TOKEN', String(token)));
    await session.session.query('set constraints all immediate');
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await session.session.query('rollback');
  }
}

const FENCED = (table: string, column = 'token') =>
  `create trigger fence before insert or update or delete on ${table} for each row execute function coordination.fence('default/theirs', '${column}');`;

/** A type of the attacker's, with conversions into whatever a token is; the caller's are in pg_temp, where they need no right but TEMP. */
const ENUM = (schema: string) => `
  create type ${schema}.token as enum ('1', 'TOKEN');
  create function ${schema}.convert(${schema}.token) returns bigint language plpgsql as
    $$ begin perform evil.note(); return TOKEN; end $$;
  create cast (${schema}.token as bigint) with function ${schema}.convert(${schema}.token) as implicit;`;

/** By their answers: what each is, and its statements. */
const attempts = (answers: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(answers).flatMap(([code, each]) => Object.entries(each).map(([what, statements]) => [what, code, statements] as const));

test.each(
  attempts({
    '42804': {
      'an enum in pg_temp': `${ENUM('pg_temp')} create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values ('1')`,
      'an enum in a schema': `${ENUM('evil')} create table evil.a (token evil.token); ${FENCED('evil.a')} insert into evil.a values ('1')`,
      'a domain over that enum': `${ENUM('pg_temp')} create domain pg_temp.d as pg_temp.token; create temp table t (token pg_temp.d);
     ${FENCED('t')} insert into t values ('1')`,
      'a composite type': `create type pg_temp.token as (x bigint);
     create function pg_temp.convert(pg_temp.token) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     create cast (pg_temp.token as bigint) with function pg_temp.convert(pg_temp.token) as implicit;
     create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values (row(1))`,
      'a range type': `create function pg_temp.diff(bigint, bigint) returns float8 language plpgsql immutable as $$ begin perform evil.note(); return 1; end $$;
     create type pg_temp.token as range (subtype = bigint, subtype_diff = pg_temp.diff);
     create function pg_temp.convert(pg_temp.token) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     create cast (pg_temp.token as bigint) with function pg_temp.convert(pg_temp.token) as implicit;
     create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values ('[1,2)')`,
      'an array': `create temp table t (token bigint[]); ${FENCED('t')} insert into t values ('{1}')`,
      'a column that is a function': `create temp table t (other bigint);
     create function evil.stolen(t) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     ${FENCED('t', 'stolen')} insert into t values (1)`,
      'a column of the system': `create temp table t (token bigint); ${FENCED('t', 'xmin')} insert into t values (1)`,
      'a name that closes the quotes': `create temp table t (token bigint); ${FENCED('t', `token"::text, evil.note(), "`)} insert into t values (1)`,
    },
  }),
)("runs nothing of the attacker's as the owner: %s as the token", async (_, code, statements) => {
  const answer = await attempt(statements);
  expect(await ranAsOthers()).toBe(false);
  expect(answer).toBe(code);
});

/** A function of the attacker's that notes as whom it runs. */
const SPY = (name: string, type = 'bigint') =>
  `create function evil.${name}(${type}) returns ${type} language plpgsql immutable as $$ begin perform evil.note(); return $1; end $$;`;
const TABLE = 'create table evil.t (token bigint, other bigint);';
const GUARDED = `${FENCED('evil.t')} insert into evil.t values (TOKEN)`;

test.each(
  attempts({
    '22004': {
      'a generated column as the token': `${SPY('g')} create table evil.t (other bigint, token bigint generated always as (evil.g(other)) stored); ${GUARDED}`,
    },
    done: {
      'a generated column beside the token': `${SPY('g')} create table evil.t (token bigint, other bigint generated always as (evil.g(token)) stored);
     ${GUARDED}`,
      'a default': `${SPY('f')} create table evil.t (token bigint default evil.f(TOKEN)); ${FENCED('evil.t')} insert into evil.t default values`,
      'an index on an expression': `${SPY('f')} ${TABLE} create index on evil.t (evil.f(token)) where evil.f(token) > 0; ${GUARDED}`,
      'a constraint': `${SPY('f')} ${TABLE} alter table evil.t add check (evil.f(token) > 0); ${GUARDED}`,
      'a policy for rows': `${SPY('f')} ${TABLE} alter table evil.t enable row level security; alter table evil.t force row level security;
     create policy p on evil.t using (evil.f(token) > 0) with check (evil.f(token) > 0); ${GUARDED}`,
      'a rule': `${SPY('f')} ${TABLE} create rule r as on insert to evil.t do also select evil.f(new.token); ${GUARDED}`,
      'partitions with columns of their own order': `${SPY('f')} create table evil.t (token bigint, other bigint) partition by list (other);
     create table evil.p (other bigint default evil.f(1), gone text, token bigint);
     alter table evil.p drop column gone; alter table evil.t attach partition evil.p for values in (1);
     ${FENCED('evil.t')} insert into evil.t values (TOKEN, 1)`,
      'another trigger before it, that changes the token': `${TABLE} create function evil.first() returns trigger language plpgsql as $$ begin perform evil.note(); new.token := TOKEN; return new; end $$;
     create trigger before before insert on evil.t for each row execute function evil.first(); ${FENCED('evil.t')} insert into evil.t values (1)`,
      'operators and functions in front of those of PostgreSQL': `create function evil.starts_with(text, text) returns boolean language plpgsql as $$ begin perform evil.note(); return true; end $$;
     create function evil.equals(text, text) returns boolean language plpgsql as $$ begin perform evil.note(); return true; end $$;
     create operator evil.= (leftarg = text, rightarg = text, function = evil.equals); set local search_path = evil, pg_catalog;
     ${TABLE} ${GUARDED}`,
      'temporary tables named like those of the schema': `create temp table lease_assertion (transaction xid8, path text, token bigint);
     create temp table lease_fence (path text);
     set local search_path = pg_temp, coordination; create temp table t (token bigint); ${FENCED('t')} insert into t values (TOKEN)`,
    },
    '42804': {
      'a domain with a check': `${SPY('d')} create domain evil.token as bigint check (evil.d(value) > 0); create table evil.t (token evil.token); ${GUARDED}`,
      'inheritance with another type of the token': `create table evil.t (token bigint);
     ${ENUM('evil')} create table evil.c (token evil.token) inherits (evil.t)`,
      'a type named text': `create type evil.text as enum ('1'); set local search_path = evil, pg_catalog;
     create table evil.t (token evil.text); ${FENCED('evil.t')} insert into evil.t values ('1')`,
    },
    '39P01': {
      'a view': `${TABLE} create view evil.v as select * from evil.t;
     create trigger fence instead of insert on evil.v for each row execute function coordination.fence('default/theirs');
     insert into evil.v values (TOKEN)`,
      'a statement trigger': `${TABLE} create trigger fence before insert on evil.t execute function coordination.fence('default/theirs');
     insert into evil.t values (TOKEN)`,
      'a trigger after the row': `${TABLE} create trigger fence after insert on evil.t for each row execute function coordination.fence('default/theirs');
     insert into evil.t values (TOKEN)`,
    },
    '0A000': {
      'no trigger at all': `select coordination.fence()`,
    },
    '42501': {
      'a cast between types of PostgreSQL': `create function evil.c(text) returns bigint language sql as 'select 1';
     create cast (text as bigint) with function evil.c(text)`,
      'a table of another owner': `create trigger fence before insert on strange.t for each row execute function coordination.fence('default/theirs');
     insert into strange.t values (TOKEN)`,
      'a foreign table': `create foreign data wrapper evil`,
      'an event trigger': `create function evil.e() returns event_trigger language plpgsql as $$ begin perform evil.note(); end $$;
     create event trigger evil on ddl_command_end execute function evil.e()`,
      'the role of replication': `set local session_replication_role = replica`,
    },
  }),
)("runs nothing of the attacker's as the owner: %s", async (_, code, statements) => {
  const answer = await attempt(statements);
  expect(await ranAsOthers()).toBe(false);
  expect(answer).toBe(code);
});

/** Statements that lock the counter and go on, in a transaction of a procedure's own. */
const WRITE = `coordination.lease_write('acquire', 'default', 'held', 'a', '15s', null, null, null)`;
const SIGNATURE =
  'lease_commit_write(text,text,text,text,interval,bigint,bigint,bigint,boolean,text,bigint,timestamp with time zone,bigint)';

test.each<[how: string, statements: string]>([
  ['by a statement', `do $$ begin commit; perform ${WRITE}; end $$`],
  ['by an expression', `do $$ declare r record; begin commit; r := ${WRITE}; end $$`],
  [
    'by a statement with a forged context',
    `do $$ begin commit; perform ${WRITE} as "
PL/pgSQL function coordination.${SIGNATURE} line 5 at assignment
"; end $$`,
  ],
  [
    'by a procedure of the same name',
    `create procedure evil.lease_commit_write(text, text, text, text, interval, bigint, bigint, bigint, boolean, text, bigint, timestamptz, bigint) language plpgsql as
       $$ declare r record; begin commit; r := ${WRITE}; end $$;
     set search_path = evil; call lease_commit_write('', '', '', '', '1s', 1, 1, 1, true, '', 1, now(), 1); `,
  ],
  [
    'by a procedure whose name is a signature',
    `create procedure evil."coordination.${SIGNATURE}"() language plpgsql as $$ declare r record; begin commit; r := ${WRITE}; end $$;
     set search_path = evil; call "coordination.${SIGNATURE}"();`,
  ],
  [
    'by the procedure behind the others, compiled where its name needs no schema',
    `set search_path = coordination; call ${SIGNATURE.replace(/\(.*/, '')}('acquire', 'default', 'held', 'a', '15s', null, null, null, null, null, null, null, null);`,
  ],
])('holds the counter in no procedure of its own: %s', async (_, statements) => {
  const own = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${attacker}:x@`));
  try {
    const parts = statements.split(/;\s*(?=set search_path|call )/);
    for (const part of parts.slice(0, -1)) await own.session.query(part);
    await expect(own.session.query(parts.at(-1)!)).rejects.toMatchObject({ code: '25000' });
    expect(await session.get('held')).toBeUndefined();
  } finally {
    await own.close();
    await session.session.query(`drop routine if exists evil.lease_commit_write, evil."coordination.${SIGNATURE}"`);
  }
});

test('a setting of the session that names everything leaves the procedures as they are', async () => {
  for (const setting of [
    'search_path = coordination',
    'search_path = evil',
    'client_min_messages = debug5',
    'quote_all_identifiers = on',
  ]) {
    await using own = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${attacker}:x@`));
    await own.session.query(`set ${setting}`);
    expect(await own.acquire('own', 'a')).toMatchObject({ acquired: true });
  }
});

test('a flood of notifications to the servers delays no write', async () => {
  await using flood = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${attacker}:x@`));
  let flooding = true;
  const flooded = (async () => {
    while (flooding) {
      await flood.session.query(`select pg_notify('coordination_changes_coordination', 'x' || n) from generate_series(1, 20000) n`);
    }
  })();
  try {
    for (let n = 0; n < 20; n++) {
      const key = { resource: 'leases.coordination.k8s.io', namespace: 'default', name: `beside-${n}` };
      const { revision } = await fixture.stores[0]!.create(key, { uid: key.name, data: '{}', terminating: false });
      expect(await fixture.stores[0]!.currentRevision()).toBeGreaterThanOrEqual(revision);
    }
  } finally {
    flooding = false;
    await flooded;
  }
});

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PostgresFixture } from '../storage/postgres-fixture.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * A role with what lease_grant gives, PostgreSQL's default rights, and a schema of its own, that wants to run something as the owner of the
 * schema. Whatever it defines notes as whom it runs; that must never be anybody but itself.
 */
const id = randomBytes(4).toString('hex');
const attacker = `attacker_${id}`;

let fixture: PostgresFixture;
let session: LeaseClient;
let token: number;

beforeAll(async () => {
  fixture = await openFixture(1);
  await fixture.client.query(`create role ${attacker} login password 'x'; create schema evil authorization ${attacker};
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
afterAll(async () => {
  await session.close();
  await fixture.client.query(`drop schema evil cascade; drop owned by ${attacker}; drop role ${attacker}`);
  await fixture.close();
});

/** Whether anything of the attacker's own ran as somebody else. */
const ranAsOthers = async () => (await fixture.rows<{ ran: boolean }>('select is_called as ran from evil.as_others'))[0]!.ran;

/** What an attempt was answered: the SQLSTATE, or 'done'. */
async function attempt(statements: string): Promise<string> {
  await session.session.query('begin');
  try {
    await session.session.query(statements.replaceAll('TOKEN', String(token)));
    await session.session.query('commit');
    return 'done';
  } catch (error) {
    await session.session.query('rollback');
    return (error as { code: string }).code;
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

test.each<[what: string, code: string, statements: string]>([
  [
    'an enum in pg_temp',
    '42804',
    `${ENUM('pg_temp')} create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values ('1')`,
  ],
  [
    'an enum in a schema',
    '42804',
    `${ENUM('evil')} create table evil.a (token evil.token); ${FENCED('evil.a')} insert into evil.a values ('1')`,
  ],
  [
    'a domain over that enum',
    '42804',
    `${ENUM('pg_temp')} create domain pg_temp.d as pg_temp.token; create temp table t (token pg_temp.d); ${FENCED('t')} insert into t values ('1')`,
  ],
  [
    'a composite type',
    '42804',
    `create type pg_temp.token as (x bigint);
     create function pg_temp.convert(pg_temp.token) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     create cast (pg_temp.token as bigint) with function pg_temp.convert(pg_temp.token) as implicit;
     create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values (row(1))`,
  ],
  [
    'a range type',
    '42804',
    `create function pg_temp.diff(bigint, bigint) returns float8 language plpgsql immutable as $$ begin perform evil.note(); return 1; end $$;
     create type pg_temp.token as range (subtype = bigint, subtype_diff = pg_temp.diff);
     create function pg_temp.convert(pg_temp.token) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     create cast (pg_temp.token as bigint) with function pg_temp.convert(pg_temp.token) as implicit;
     create temp table t (token pg_temp.token); ${FENCED('t')} insert into t values ('[1,2)')`,
  ],
  ['an array', '42804', `create temp table t (token bigint[]); ${FENCED('t')} insert into t values ('{1}')`],
  [
    'a column that is a function',
    '42804',
    `create temp table t (other bigint);
     create function evil.stolen(t) returns bigint language plpgsql as $$ begin perform evil.note(); return TOKEN; end $$;
     ${FENCED('t', 'stolen')} insert into t values (1)`,
  ],
  ['a column of the system', '42804', `create temp table t (token bigint); ${FENCED('t', 'xmin')} insert into t values (1)`],
  [
    'a name that closes the quotes',
    '42804',
    `create temp table t (token bigint); ${FENCED('t', `token"::text, evil.note(), "`)} insert into t values (1)`,
  ],
])("runs nothing of the attacker's as the owner: %s as the token", async (_, code, statements) => {
  const answer = await attempt(statements);
  expect(await ranAsOthers()).toBe(false);
  expect(answer).toBe(code);
});

/** Statements that lock the counter and go on, in a transaction of a procedure's own. */
const WRITE = `coordination.lease_write('acquire', 'default', 'held', 'a', '15s', null)`;
const SIGNATURE = 'lease_commit_write(text,text,text,text,interval,bigint,boolean,text,bigint,timestamp with time zone)';

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
    `create procedure evil.lease_commit_write(text, text, text, text, interval, bigint, boolean, text, bigint, timestamptz) language plpgsql as
       $$ declare r record; begin commit; r := ${WRITE}; end $$;
     set search_path = evil; call lease_commit_write('', '', '', '', '1s', 1, true, '', 1, now()); `,
  ],
  [
    'by a procedure whose name is a signature',
    `create procedure evil."coordination.${SIGNATURE}"() language plpgsql as $$ declare r record; begin commit; r := ${WRITE}; end $$;
     set search_path = evil; call "coordination.${SIGNATURE}"();`,
  ],
  [
    'by the procedure behind the others, compiled where its name needs no schema',
    `set search_path = coordination; call ${SIGNATURE.replace(/\(.*/, '')}('acquire', 'default', 'held', 'a', '15s', null, null, null, null, null);`,
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
  for (const setting of [`search_path = coordination`, `search_path = evil`, 'client_min_messages = debug5']) {
    const own = await LeaseClient.connect(fixture.url.replace(/\/\/[^@]*@/, `//${attacker}:x@`));
    await own.session.query(`set ${setting}`);
    expect(await own.acquire('own', 'a')).toMatchObject({ acquired: true });
    await own.close();
  }
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DatabaseStartError } from '../../../src/storage/database/session/database-start-error.js';
import { checkDatabase } from '../../../src/storage/database/start/check-database.js';
import { openDatabase } from '../../../src/storage/database/start/open-database.js';
import { connected, rowsOf } from '../../support/connected.js';
import { testNeeding } from '../../support/database-needs.js';
import { forEachTest } from '../../support/for-tests.js';
import { createEmptyDatabase, serverUrl } from '../../support/test-database.js';
import { openTestStore, silent } from './open-test-store.js';

describe('a server that starts on a database', () => {
  const database = forEachTest(() => createEmptyDatabase());
  const client = forEachTest(() => connected(database.url));

  /** The one-line error of the start. */
  const failure = async (url: string): Promise<string> => {
    const error = await openDatabase({ url }, silent).then(
      async (opened) => {
        await opened.close();
        return new Error('did start');
      },
      (reason: unknown) => reason as Error,
    );
    expect(error).toBeInstanceOf(DatabaseStartError);
    expect(error.message).not.toMatch(/\n/);
    return error.message;
  };
  const schemasWithTables = async (): Promise<string[]> => {
    const { rows } = await client.query<{ schema: string }>(
      `select distinct schemaname as schema from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    return rows.map(({ schema }) => schema);
  };
  const withDatabase = (name: string) => serverUrl().replace(/^([a-z]+:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
  const asUser = (user: string, password: string) => database.url.replace(/\/\/[^@]*@/, `//${user}:${password}@`);

  it.each([
    ['nonsense', 'must look like postgresql://'],
    ['https://localhost/db', 'must look like postgresql://'],
    ['postgresql://nobody@127.0.0.1:1/x', 'cannot reach the database: nothing listens at 127.0.0.1, port 1'],
    ['postgresql://nobody@nowhere.invalid/x', "cannot resolve the database's host"],
    ['postgresql://nobody@%2Fnonexistent:5432/x', 'cannot reach the database'],
  ])('rejects the URL %s with the reason', async (url, reason) => {
    expect(await failure(url)).toContain(reason);
  });

  it('reports a wrong user or password without repeating it', async () => {
    await client.query(`create role wrong_password login password 'right'`);
    const message = await failure(asUser('wrong_password', 'secret-guess'));
    expect(message).toContain('rejected the user or the password');
    expect(message).not.toContain('secret-guess');
    expect(await failure(asUser('no_such_user', 'x'))).toContain('rejected the user or the password');
    await client.query('drop role wrong_password');
  });

  it('reads the password file for each new connection', async () => {
    await client.query(
      `create role rotated login password 'old'; create schema of_rotated authorization rotated; create schema of_rotated_tables authorization rotated`,
    );
    const dir = mkdtempSync(path.join(tmpdir(), 'password-'));
    const passwordFile = path.join(dir, 'password');
    writeFileSync(passwordFile, 'old\n');
    try {
      const store = await openTestStore('', { database: { url: asUser('rotated', 'old'), passwordFile, schema: 'of_rotated' } });
      await client.query(`alter role rotated password 'new'`);
      writeFileSync(passwordFile, 'new\n');
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'`);
      const create = () => store.create({ resource: 'things', namespace: 'ns', name: 'a' }, { uid: 'u', data: '{}', terminating: false });
      const { revision } = await create();
      expect(revision).toBeGreaterThan(0);
      await store.close();
    } finally {
      rmSync(dir, { recursive: true });
      await client.query('drop owned by rotated; drop role rotated');
    }
  });

  it('reports that the database does not exist', async () => {
    expect(await failure(withDatabase('no_such_database'))).toContain('does not exist');
  });

  it('reports that the encoding is not UTF8', async () => {
    await client.query(`create database latin_${process.pid} template template0 encoding 'LATIN1' locale 'C'`);
    try {
      expect(await failure(withDatabase(`latin_${process.pid}`))).toContain('has the encoding LATIN1: UTF8 is required');
    } finally {
      await client.query(`drop database latin_${process.pid}`);
    }
  });

  it('reports which right is missing', async () => {
    await client.query(`create role may_nothing login password 'x'`);
    try {
      expect(await failure(asUser('may_nothing', 'x'))).toContain(
        'may_nothing lacks the privilege to create the schema coordination and coordination_tables in',
      );
      await client.query('create schema coordination; create schema coordination_tables');
      expect(await failure(asUser('may_nothing', 'x'))).toContain(
        'may_nothing lacks the privilege to create tables in the schema coordination: run "grant usage, create on schema coordination to may_nothing" there',
      );
      await client.query('revoke connect on database ' + pg.escapeIdentifier(client.database ?? '') + ' from public');
      expect(await failure(asUser('may_nothing', 'x'))).toContain('lacks a privilege');
    } finally {
      await client.query('drop owned by may_nothing; drop role may_nothing');
    }
  });

  it('refuses a schema that a newer program created', async () => {
    await (await openTestStore(database.url)).close();
    await client.query(`insert into coordination_tables.schema_migration (name, timestamp) values ('9999_future', '2026')`);
    expect(await failure(database.url)).toContain('newer than this program: it has the migration 9999_future');
  });

  it('works wherever it may create tables, as any user and in any schema', async () => {
    await client.query(`create role plain_user login password 'x'; create schema elsewhere authorization plain_user;
      create schema elsewhere_tables authorization plain_user`);
    try {
      const store = await openTestStore('', { database: { url: asUser('plain_user', 'x'), schema: 'elsewhere' } });
      const key = { resource: 'things', namespace: 'ns', name: 'a' };
      const created = await store.create(key, { uid: 'u', data: '{}', terminating: false });
      await store.compactor.rotate();
      await store.compactor.compact(created.revision);
      await store.compactor.maintain();
      expect((await store.get(key, { kind: 'latest' })).object).toEqual(created);
      await store.close();
      expect(await schemasWithTables()).toEqual(['elsewhere_tables']);
    } finally {
      await client.query('drop schema elsewhere, elsewhere_tables cascade; drop role plain_user');
    }
  });

  it('has its tables in its own schema, whatever the search_path of the database', async () => {
    await client.query(`create schema elsewhere; create table elsewhere.objects (name text); create table public.revision_log (name text)`);
    await client.query(`do $$ begin execute format('alter database %I set search_path = elsewhere, public', current_database()); end $$`);
    const store = await openTestStore(database.url);
    await store.create({ resource: 'things', namespace: 'ns', name: 'a' }, { uid: 'u', data: '{}', terminating: false });
    await store.compactor.rotate();
    await store.compactor.maintain();
    await store.close();
    const { rows } = await client.query(`select (select count(*) from coordination_tables.objects)::int as ours,
      (select count(*) from pg_tables where schemaname in ('elsewhere', 'public'))::int as theirs`);
    expect(rows).toEqual([{ ours: 1, theirs: 2 }]);
  });

  testNeeding(
    'notifications',
    'continues in the schema in which an earlier version created the tables, and announces commits',
    async () => {
      const earlier = await openTestStore('', { database: { url: database.url, schema: 'public' } });
      const store = await openTestStore(database.url);
      const heard = new Promise<string>((resolve) => client.on('notification', ({ channel }) => resolve(channel)));
      await client.query('listen coordination_changes');
      const key = { resource: 'things', namespace: 'ns', name: 'a' };
      const created = await store.create(key, { uid: 'u', data: '{}', terminating: false });
      expect((await earlier.get(key, { kind: 'latest' })).object).toEqual(created);
      expect(await heard).toBe('coordination_changes');
      await Promise.all([earlier.close(), store.close()]);
      expect(await schemasWithTables()).toEqual(['public_tables']);
    },
  );

  it('asks which schema is meant if there are two', async () => {
    await (await openTestStore('', { database: { url: database.url, schema: 'public' } })).close();
    await (await openTestStore('', { database: { url: database.url, schema: 'coordination' } })).close();
    expect(await failure(database.url)).toContain('in the schemas coordination and public: choose one with --database-schema');
  });

  it('creates tables among those of another program only when told to', async () => {
    await client.query('create schema coordination authorization pg_database_owner; create table coordination.theirs (name text)');
    expect(await failure(database.url)).toContain('has tables of another program: pass --database-schema');
    await (await openTestStore('', { database: { url: database.url, schema: 'coordination' } })).close();
    await (await openTestStore(database.url)).close();
  });

  it('is not led astray by what another role creates in public, before or after the installation', async () => {
    const squatter = `squatter_${randomBytes(4).toString('hex')}`;
    // PostgreSQL 14 gives this to everybody
    await client.query(`create role ${squatter} login password 'x'; grant create on schema public to ${squatter}`);
    try {
      await rowsOf(
        asUser(squatter, 'x'),
        'create table public.schema_migration (name text); create table public.objects (terminating boolean)',
      );
      for (let start = 0; start < 2; start++) await (await openTestStore('', { database: { url: database.url } })).close();
      expect(await schemasWithTables()).toEqual(['coordination_tables', 'public']);
      expect((await client.query('select from public.schema_migration')).rowCount).toBe(0);
    } finally {
      await client.query(`drop owned by ${squatter}; drop role ${squatter}`);
    }
  });

  it.each([
    ['empty', ''],
    [
      'with tables of that role',
      'create table coordination.schema_migration (name text); create table coordination.objects (terminating boolean);',
    ],
  ])('refuses a schema that another role has created, %s', async (_, tables) => {
    const [squatter, own] = ['squatter', 'own'].map((name) => `${name}_${randomBytes(4).toString('hex')}`) as [string, string];
    await client.query(`create role ${squatter} login password 'x'; create role ${own} login password 'x'`);
    try {
      await client.query(`create schema coordination authorization ${squatter}`);
      await rowsOf(
        asUser(squatter, 'x'),
        `${tables} grant all on schema coordination to public; grant all on all tables in schema coordination to public`,
      );
      const reason = `the schema coordination belongs to ${squatter}, who could have the server run anything`;
      expect(await failure(asUser(own, 'x'))).toContain(reason);
      if (tables === '') expect(await failure(database.url)).toContain(reason);
    } finally {
      await client.query(`drop owned by ${squatter}, ${own}; drop role ${squatter}, ${own}`);
    }
  });

  it('warns where others may create objects in its schema, in which nothing can be granted', async () => {
    await (await openTestStore(database.url)).close();
    const check = async () => {
      const session = await connected(database.url);
      return checkDatabase(session, undefined).finally(() => session.end());
    };
    expect(await check()).toBeUndefined();
    await client.query('grant create on schema coordination to public');
    expect(await check()).toBe(
      'what everybody may create in the schema coordination could be run by the server: run "revoke create on schema coordination from public cascade" there',
    );
    const grant = client.query(`select coordination.lease_grant(current_user::regrole, 'default')`);
    await expect(grant).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining('what everybody may create in the schema'),
    });
    await client.query('revoke create on schema coordination from public');
    await client.query(`select coordination.lease_grant(current_user::regrole, 'default')`);
  });

  it('keeps two installations in one database apart', async () => {
    const open = (schema: string) => openTestStore('', { database: { url: database.url, schema } });
    const [one, other] = await Promise.all([open('one'), open('other')]);
    const key = { resource: 'things', namespace: 'ns', name: 'a' };
    await one.create(key, { uid: 'u', data: '{}', terminating: false });
    expect((await other.get(key, { kind: 'latest' })).object).toBeUndefined();
    await Promise.all([one.close(), other.close()]);
  });

  it('agrees with others that start on the empty database at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => openTestStore(database.url)));
    const revisions = new Set(await Promise.all(stores.map((store) => store.currentRevision())));
    expect(revisions.size).toBe(1);
    const secrets = await Promise.all(stores.map((store, i) => store.secrets.getOrCreate('ca', () => Promise.resolve(`made by ${i}`))));
    expect(new Set(secrets).size).toBe(1);
    expect(await stores[0]!.secrets.getOrCreate('ca', () => Promise.reject(new Error('not needed')))).toBe(secrets[0]);
    expect(await stores[0]!.secrets.get('other')).toBeUndefined();
    await Promise.all(stores.map((store) => store.close()));
  });
});

import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import pg from 'pg';
import { createEmptyDatabase } from '../../support/test-database.js';
import { openTestStore } from '../storage/open-test-store.js';

/*
 * Functions that run as the owner of the schema, from the catalogue: a new one is under these rules as soon as a migration creates it.
 */
const SCHEMAS = ['coordination', 'Other "Schema"'];

const database = forAllTests(() => createEmptyDatabase());
const client = forAllTests(() => connected(database.url));
beforeAll(async () => {
  for (const schema of SCHEMAS) await (await openTestStore('', { database: { url: database.url, schema } })).close();
});

interface Definer {
  readonly name: string;
  readonly language: string;
  readonly config: string[] | null;
  readonly everybody: boolean;
  readonly source: string;
  readonly types: string[];
}

async function definers(schema: string): Promise<Definer[]> {
  const { rows } = await client.query<Definer>(
    `select p.proname as name, l.lanname as language, p.proconfig as config, p.prosrc as source,
            exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as everybody,
            array(select t.oid::regtype::text from unnest(coalesce(p.proallargtypes, p.proargtypes) || p.prorettype) u
                  join pg_type t on t.oid = u and t.typnamespace <> 'pg_catalog'::regnamespace) as types
     from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = $1::regnamespace and p.prosecdef order by 1`,
    [pg.escapeIdentifier(schema)],
  );
  return rows;
}

test.each(SCHEMAS)('functions that run as the owner of the schema %s', async (schema) => {
  const found = await definers(schema);
  expect(found.map(({ name }) => name)).toEqual([
    'fence',
    'lease_assert',
    'lease_check_assertion',
    'lease_flush',
    'lease_get',
    'lease_notify',
    'lease_write',
  ]);
  const [tables, own] = [`${schema}_tables`, schema].map((each) => pg.escapeIdentifier(each).replace(/^"([a-z_]+)"$/, '$1'));
  const path = `search_path=${tables}, ${own}, pg_temp`;
  for (const definer of found) {
    // a path of the schemas alone, and of the caller's temporary objects after it
    expect(definer.config?.filter((setting) => setting.startsWith('search_path='))).toEqual([path]);
    // nobody but those whom lease_grant names
    expect(definer).toMatchObject({ everybody: false, language: 'plpgsql' });
    // no argument or result whose type another role may define
    expect(definer.types).toEqual([]);
  }
});

test('only fence composes statements at run time, of columns whose type it knows', async () => {
  for (const { name, source } of await definers('coordination')) {
    const [first, ...others] = [...source.matchAll(/\bexecute\b.*/g)].map(([line]) => line);
    if (name !== 'fence') expect(first).toBeUndefined();
    else {
      expect(first).toBe(`execute format('select ($1).%I::bigint', name) using new into given;`);
      expect(others).toEqual([`execute format('select ($1).%I::bigint', name) using old into before;`]);
      const known = source.indexOf(`type <> all ('{bigint, integer, smallint, numeric, text, character varying}'::regtype[])`);
      expect(known).toBeGreaterThan(0);
      expect(known).toBeLessThan(source.indexOf(first!));
    }
    // each of these runs conversions or output of whatever types the row has
    expect(source).not.toMatch(/\b(new|old)\s*::|_?json[a-z_]*\(\s*(new|old)\b|hstore\(/);
  }
});

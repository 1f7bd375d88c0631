import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { eventually } from '../../support/eventually.js';
import { LeaseClient } from './lease-client.js';

/*
 * Each session keeps the plans that it made at its first calls. Here it makes them while there are no terms and no statistics.
 */
const LEASES = 300;

let client: LeaseClient;

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  client = await LeaseClient.connect(fixture.url);
});

/** How many rows of open terms have been read so far, by sessions that have ended. */
async function rowsRead(): Promise<number> {
  const [row] = await fixture.rows<{ read: number }>(
    `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where relname = 'lease_term_0'`,
  );
  return row?.read ?? 0;
}

test('a takeover, a lapse and a comparison read the open term of their lease and no other', async () => {
  const lapse = (leases: string) =>
    client.rows(
      `select l.* from coordination_tables.objects o, lateral coordination.lease_change_terms(0, 0, jsonb_build_array(jsonb_build_object(
         'namespace', 'default', 'lease', split_part(o.path, '/', 2), 'lease_revision', o.revision, 'expires', null, 'lapsed', false))) l
       where o.resource = 'leases.coordination.k8s.io' and o.path like $1`,
      [leases],
    );
  const compare = () => client.rows(`select * from coordination.lease_compare_terms('', $1)`, [LEASES]);
  await lapse('%');
  await compare();
  for (let number = 0; number < LEASES; number++) {
    await client.acquire(`lease-${number}`, 'one');
    await client.release(`lease-${number}`, 'one');
    await client.acquire(`lease-${number}`, 'other');
  }
  await lapse('%');
  await compare();
  const [terms] = await fixture.rows<{ count: number }>('select count(*) from lease_term where segment = 0');
  expect(terms?.count).toBe(LEASES);
  const before = await rowsRead();
  await client.close();
  let read = 0;
  await eventually(async () => (read = (await rowsRead()) - before) > 0);
  // once each by the release, the lapse and the comparison, and once more to move it
  expect(read).toBeLessThan(LEASES * 9);
});

import { beforeAll, expect, test } from '@jest/globals';
import { connected } from '../../support/connected.js';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
});

test('writers in SQL are served in the order in which they came', async () => {
  const COUNT = 4;
  const writers = await Promise.all(Array.from({ length: COUNT }, () => LeaseClient.connect(fixture.url)));
  const waiting = async () => {
    const [row] = await fixture.rows<{ count: number }>(
      `select count(*)::integer as count from pg_locks where relation = 'coordination_tables.lease_writer_queue'::regclass and not granted`,
    );
    return row?.count;
  };
  const first = await connected(fixture.url);
  await first.query('begin; lock table coordination_tables.lease_writer_queue in exclusive mode');
  const answers: Promise<{ token: number | null }>[] = [];
  for (const [at, writer] of writers.entries()) {
    // the last one's lease comes first by name, so that no other order looks right
    answers.push(writer.acquire(`queued-${COUNT - at}`, 'holder'));
    await eventually(async () => (await waiting()) === at + 1);
  }
  await first.query('commit');
  const tokens = (await Promise.all(answers)).map(({ token }) => token ?? 0);
  expect(tokens).toEqual([...tokens].sort((one, other) => one - other));
  await Promise.all([first.end(), ...writers.map((writer) => writer.close())]);
});

test('the writes of a server do not wait for the writers in SQL that wait', async () => {
  await using first = await connected(fixture.url);
  await first.query('begin; lock table coordination_tables.lease_writer_queue in exclusive mode');
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'default', name: 'by-a-server' };
  await expect(fixture.stores[0]?.create(key, { uid: 'u', data: '{}', terminating: false })).resolves.toMatchObject({ key });
  await first.query('rollback');
});

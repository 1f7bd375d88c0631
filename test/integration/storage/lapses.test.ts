import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { compileEncoder } from '../../../src/apimachinery/codec/json/json-encoder.js';
import { leaseTermV1 } from '../../../src/apis/history/lease-term/lease-term.resource.js';
import { type LapseChange, TERM_RESOURCE } from '../../../src/storage/term-change.js';
import { auditLog } from './log-audit.js';
import { openFixture } from './postgres-fixture.js';
import { summary, TermReplica } from './term-replica.js';

const fixture = forAllTests(() => openFixture(0));
const replica = forAllTests(() => TermReplica.open(fixture.url));
const other = forAllTests(() => TermReplica.open(fixture.url));
beforeAll(async () => {
  await replica.registry.withNamespace();
});

const held = (holderIdentity: string, renewedMs = Date.now()) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  renewTime: microTime(renewedMs),
});
/** A lease whose holder's time is over, and what a server finds. */
async function late(name: string): Promise<LapseChange> {
  const renewed = Date.now() - 60_000;
  const lease = await replica.create(name, held('a', renewed), {}, renewed);
  return changeOf(name, lease.metadata.resourceVersion, renewed + 15_000, true);
}
const changeOf = (lease: string, revision: string | undefined, expiresMs: number, lapsed: boolean): LapseChange => ({
  ...{ namespace: 'ns', lease, lease_revision: Number(revision), lapsed },
  expires: new Date(expiresMs).toISOString(),
});
const announced = () => fixture.rows<{ id: string; term: string }>('select id, term from lease_announcement order by made');

test('a lapse takes effect once, whichever replica finds it', async () => {
  const change = await late('once');
  const [mine, theirs] = await Promise.all([replica.postgres.terms.lapses.change([change]), other.postgres.terms.lapses.change([change])]);
  expect([...mine, ...theirs]).toEqual(['ns/once']);
  const [term] = await other.history('once');
  expect(term).toMatchObject({ status: { phase: 'Held', lapsed: true, lapses: 1, lapsedAt: expect.any(String) } });
  expect(await replica.postgres.terms.lapses.list()).toContain('ns/once');
  expect(await replica.postgres.terms.lapses.change([change])).toEqual(new Set());
  const lease = await replica.registry.leases.get(
    { version: replica.registry.leases.definition.storageVersion, namespace: 'ns', name: 'once' },
    { resourceVersion: '' },
  );
  expect(lease.revision).toBe(change.lease_revision);
});

test('a lease that was renewed meanwhile, or whose time is not over by the database, does not lapse', async () => {
  const change = await late('renewed');
  await replica.write('renewed', held('a'));
  expect(await replica.postgres.terms.lapses.change([change])).toEqual(new Set());
  const lease = await replica.create('early', held('a'));
  const early = changeOf('early', lease.metadata.resourceVersion, Date.now() + 60_000, true);
  expect(await replica.postgres.terms.lapses.change([early])).toEqual(new Set());
  expect((await replica.history('early'))[0]?.status.lapsed).toBeUndefined();
});

test('a holder that renews late continues its term, and may lapse again', async () => {
  const change = await late('again');
  const { lapses } = replica.postgres.terms;
  await lapses.change([change]);
  const renewed = await replica.write('again', held('a'));
  const recovery = changeOf('again', renewed.metadata.resourceVersion, Date.now() + 15_000, false);
  expect(await lapses.change([recovery])).toEqual(new Set(['ns/again']));
  expect(await lapses.change([recovery])).toEqual(new Set());
  const [term] = await replica.history('again');
  expect(term?.status).toMatchObject({ phase: 'Held', lapses: 1, lapsedAt: expect.any(String) });
  expect(term?.status.lapsed).toBeUndefined();
  const past = Date.now() - 60_000;
  const rewritten = await replica.write('again', { ...held('a', past), leaseDurationSeconds: 1 }, past);
  await lapses.change([changeOf('again', rewritten.metadata.resourceVersion, past + 1_000, true)]);
  expect((await replica.history('again'))[0]?.status).toMatchObject({ lapsed: true, lapses: 2 });
  expect(summary(await replica.history('again'))).toEqual(['a Held']);
});

test('a term that ends after its time was over has lapsed, though nobody had marked it', async () => {
  await late('taken');
  await replica.write('taken', held('b'));
  await late('marked').then((change) => replica.postgres.terms.lapses.change([change]));
  await replica.delete('marked');
  const [taken] = await replica.history('taken');
  expect(taken?.status).toMatchObject({ reason: 'Expired', lapsed: true, lapses: 1 });
  expect((await replica.history('marked'))[0]?.status).toMatchObject({ reason: 'Deleted', lapsed: true, lapses: 1 });
  await replica.create('in-time', held('a'));
  await replica.write('in-time', held('b'));
  expect((await replica.history('in-time'))[0]?.status.lapses).toBeUndefined();
});

test('lapses are queued in their commits once somebody announces them, and each is claimed by one server', async () => {
  const before = await late('unannounced');
  await replica.postgres.terms.lapses.change([before]);
  expect(await announced()).toEqual([]);
  const { announcements } = replica.postgres.terms.lapses;
  await announcements.prolong();
  const change = await late('announced');
  await replica.postgres.terms.lapses.change([change]);
  await late('announced-at-end');
  await replica.write('announced-at-end', held('b'));
  const queued = await announced();
  expect(queued.map(({ term }) => (JSON.parse(term) as { spec: { leaseName: string } }).spec.leaseName)).toEqual([
    'announced',
    'announced-at-end',
  ]);
  const claims = await Promise.all([announcements.claim(1, 60), other.postgres.terms.lapses.announcements.claim(5, 60)]);
  expect(
    claims
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(queued.map(({ id }) => id).sort());
  expect(await announcements.claim(5, 60)).toEqual([]);
  const [first, second] = queued;
  await announcements.done([first!.id]);
  await announcements.postpone(second!.id, 0);
  expect(await announcements.claim(5, 60)).toMatchObject([{ id: second!.id, attempts: 2 }]);
  await fixture.client.query(`update lease_announcement set made = now() - interval '2 days'`);
  expect(await announcements.dropOld()).toBe(1);
});

test('a queue that was full when it was counted takes nothing until it is counted again', async () => {
  const { lapses } = replica.postgres.terms;
  await fixture.client.query('truncate lease_announcement');
  await fixture.client.query(`
    insert into lease_announcement (id, term, made, due) select n::text, '{}', now(), 'infinity' from generate_series(1, 100000) n`);
  await lapses.announcements.prolong();
  expect(await lapses.announcements.count()).toBe(true);
  await lapses.change([await late('unqueued')]);
  await fixture.client.query(`delete from lease_announcement where id = '1'`);
  expect(await lapses.announcements.count()).toBe(false);
  const last = await late('queued');
  await lapses.change([last]);
  const queued = (await announced()).map(({ term }) => (JSON.parse(term) as { spec?: { leaseName: string } }).spec?.leaseName);
  expect(queued.filter((name) => name !== undefined)).toEqual(['queued']);
  await fixture.client.query('truncate lease_announcement');
});

test('the log has every lapse, in the canonical form of the schema', async () => {
  const { objects } = await replica.cached.list({ resource: TERM_RESOURCE, namespace: 'ns' }, { consistency: { kind: 'latest' } });
  const encode = compileEncoder(leaseTermV1.schema);
  for (const { data } of objects) expect(encode(JSON.parse(data) as object)).toBe(data);
  expect(objects.some(({ data }) => data.includes('"lapsed":true,"lapsedAt"'))).toBe(true);
  expect((await auditLog(fixture)).faults).toEqual([]);
});

test('lists compose terms as the log has them', async () => {
  for (const [i, renewTime] of ['9999-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z', '0001-01-01T00:00:00.000001Z'].entries()) {
    await replica.create(`renewed-${i}`, { ...held('a'), renewTime });
    await replica.delete(`renewed-${i}`);
  }
  const rows = await fixture.rows<{ path: string; text: string }>(
    'select path, lease_term_object(t) as text from lease_term t order by path',
  );
  const { objects } = await replica.cached.list({ resource: TERM_RESOURCE }, { consistency: { kind: 'latest' } });
  expect(objects.map(({ data }) => data)).toEqual(rows.map(({ text }) => text));
});

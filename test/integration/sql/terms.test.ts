import { beforeAll, expect, jest, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { eventually } from '../../support/eventually.js';
import { storeUrl } from '../../support/store-url.js';
import { auditLog } from '../storage/log-audit.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { summary, TermReplica } from '../storage/term-replica.js';
import { LeaseClient } from './lease-client.js';

/*
 * Terms that SQL begins and ends, alone and beside a server.
 */
const NAMESPACE = 'ns';

const fixture = forAllTests(() => openFixture(0));
const replica = forAllTests(() => TermReplica.open(fixture.url));
beforeAll(async () => {
  await replica.registry.withNamespace();
});
const sql = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));

const acquire = (name: string, holder: string, duration = '15s') => sql.acquire(name, holder, duration, NAMESPACE);
const renew = (name: string, holder: string) => sql.session.query('call coordination.lease_renew($1, $2, $3)', [NAMESPACE, name, holder]);
const release = (name: string, holder: string) =>
  sql.session.query('call coordination.lease_release($1, $2, $3)', [NAMESPACE, name, holder]);
/** Takes a lease from a holder that no longer renews it. */
const takeOver = (name: string, holder: string, duration?: string) =>
  eventually(async () => (await acquire(name, holder, duration)).acquired);
const held = (holderIdentity: string, renewedMs = Date.now(), leaseDurationSeconds = 15) => ({
  holderIdentity,
  leaseDurationSeconds,
  renewTime: microTime(renewedMs),
});

test('an acquisition begins a term, which renewals and repeated acquisitions leave alone, and a release ends', async () => {
  const { token } = await acquire('own', 'a');
  await renew('own', 'a');
  await acquire('own', 'a');
  const [open] = await replica.history('own');
  expect(open).toMatchObject({
    metadata: { name: `own.${token}`, namespace: NAMESPACE },
    spec: { holder: 'a', fencingToken: String(token), leaseDurationSeconds: 15, leaseTransitions: 0 },
    status: { phase: 'Held' },
  });
  await release('own', 'a');
  await acquire('own', 'b');
  const terms = await replica.history('own');
  expect(summary(terms)).toEqual(['a Ended Released', 'b Held']);
  expect(terms[0]).toMatchObject({ status: { lastRenewTime: expect.any(String) }, spec: { leaseDurationSeconds: 15 } });
  const [lease] = await fixture.rows<{ uid: string }>(`select uid from leases where name = 'own'`);
  expect(terms.map(({ spec }) => spec.leaseUID)).toEqual([lease!.uid, lease!.uid]);
});

test('a lease that passes between SQL and HTTP has one row of terms', async () => {
  const earlier = Date.now() - 60_000;
  await replica.create('shared', held('http', earlier, 1), { app: 'x' }, earlier);
  await takeOver('shared', 'sql', '1h');
  expect(summary(await replica.history('shared'))).toEqual(['http Ended Expired', 'sql Held']);
  await replica.write('shared', { ...held('http'), strategy: 'OldestEmulationVersion', preferredHolder: 'other' });
  await release('shared', 'http');
  await replica.write('shared', { ...held('other'), strategy: undefined, preferredHolder: undefined });
  await replica.delete('shared');
  const terms = await replica.history('shared');
  expect(summary(terms)).toEqual(['http Ended Expired', 'sql Ended Replaced', 'http Ended HandedOver', 'other Ended Deleted']);
  expect(terms.map(({ metadata }) => metadata.labels)).toEqual(Array(4).fill({ app: 'x' }));
  expect(await replica.postgres.terms.comparison.run()).toBe(0);
});

test('a holder whose clock is ahead has expired when SQL takes its lease', async () => {
  await replica.create('ahead', held('http', Date.now() + 3_600_000, 1), {}, Date.now() - 60_000);
  await takeOver('ahead', 'sql');
  expect(summary(await replica.history('ahead'))).toEqual(['http Ended Expired', 'sql Held']);
});

test('long holders are cut, and labels that are too many left out, as by a server', async () => {
  const labels = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`label-${i}`, 'x'.repeat(60)]));
  await replica.create('long', {}, labels);
  await acquire('long', '\u{1f600}'.repeat(1000));
  await release('long', '\u{1f600}'.repeat(1000));
  await replica.write('long', held('\u{1f600}'.repeat(1000)));
  const terms = await replica.history('long');
  expect(terms.map(({ spec }) => spec.holder)).toEqual(Array(2).fill('\u{1f600}'.repeat(600)));
  expect(terms.map(({ metadata }) => metadata.labels)).toEqual([undefined, undefined]);
  expect(await replica.postgres.terms.comparison.run()).toBe(0);
});

test('a term that cannot be recorded does not keep a lease from its holder', async () => {
  await fixture.client.query('alter function lease_change_terms rename to broken');
  const warnings: string[] = [];
  sql.session.on('notice', ({ message }) => warnings.push(message ?? ''));
  try {
    expect(await acquire('unrecorded', 'a')).toMatchObject({ acquired: true });
  } finally {
    await fixture.client.query('alter function broken rename to lease_change_terms');
    sql.session.removeAllListeners('notice');
  }
  expect(warnings).toEqual([expect.stringContaining('the terms of lease "ns/unrecorded" could not be recorded')]);
  expect(await replica.postgres.terms.comparison.run()).toBe(1);
  expect(summary(await replica.history('unrecorded'))).toEqual(['a Held']);
});

test('a server knows that it could not record a term', async () => {
  const lost = jest.spyOn(replica.postgres.terms.sequels!, 'lost');
  await fixture.client.query('alter function lease_change_terms rename to broken');
  try {
    await replica.create('unrecorded-too', held('a'));
  } finally {
    await fixture.client.query('alter function broken rename to lease_change_terms');
  }
  expect(lost).toHaveBeenCalledTimes(1);
  lost.mockRestore();
  expect(await replica.postgres.terms.comparison.run()).toBe(1);
});

test('SQL and servers leave a log in which each change of a term follows from the one before', async () => {
  for (let i = 0; i < 10; i++) {
    await acquire(`mixed-${i % 3}`, 'sql');
    await replica.write(`mixed-${i % 3}`, held('http'));
    if (i % 2 === 0) await replica.postgres.compactor.rotate();
    await release(`mixed-${i % 3}`, 'http');
  }
  expect(await auditLog(fixture)).toEqual({ changes: expect.any(Number), faults: [] });
});

test('the view lease_terms shows terms to SQL clients, and is read-only', async () => {
  await acquire('viewed', 'a');
  await release('viewed', 'a');
  const { rows } = await sql.session.query(
    `select holder, reason, until >= began as ordered, duration_seconds from coordination.lease_terms where lease = 'viewed'`,
  );
  expect(rows).toEqual([{ holder: 'a', reason: 'Released', ordered: true, duration_seconds: 15 }]);
  await expect(sql.session.query('delete from coordination.lease_terms')).rejects.toMatchObject({
    message: expect.stringContaining('read-only'),
  });
});

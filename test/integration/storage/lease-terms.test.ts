import { beforeAll, describe, expect, it } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { compileEncoder } from '../../../src/apimachinery/codec/json/json-encoder.js';
import type { LeaseTerm } from '../../../src/apis/history/lease-term/lease-term.schema.js';
import { leaseTermV1 } from '../../../src/apis/history/lease-term/lease-term.resource.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { LEASE_RESOURCE, TERM_RESOURCE } from '../../../src/storage/term-change.js';
import type { Tracing } from '../../../src/telemetry/tracing/tracing.js';
import { decoded, LIST, refusal } from '../../support/registry-fixture.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { openFixture } from './postgres-fixture.js';
import { summary, TermReplica } from './term-replica.js';

const DURATION = 15;
const held = (holderIdentity: string, renewedMs = Date.now()) => ({
  holderIdentity,
  leaseDurationSeconds: DURATION,
  renewTime: microTime(renewedMs),
});

describe('terms of leases', () => {
  let replica: TermReplica;
  let other: TermReplica;
  const replicas: TermReplica[] = [];
  const open = async (options = {}): Promise<TermReplica> => {
    const opened = await TermReplica.open(fixture.url, options);
    replicas.push(opened);
    return opened;
  };

  const fixture = forAllTests(() => openFixture(0));
  beforeAll(async () => {
    replica = await open();
    other = await open();
    await replica.registry.withNamespace();
  });
  afterAllTests(async () => {
    await Promise.all(replicas.map((each) => each.close()));
  });

  it('begin with a holder and end with another one, a release or a deletion', async () => {
    await replica.create('chain');
    expect(await replica.history('chain')).toEqual([]);
    await replica.write('chain', held('a'));
    await replica.write('chain', held('a'));
    await replica.write('chain', held('b'));
    const earlier = Date.now() - 60_000;
    await replica.write('chain', { ...held('b', earlier), leaseTransitions: 1 }, earlier);
    await replica.write('chain', { ...held('c'), leaseTransitions: 2 });
    await replica.write('chain', { holderIdentity: '' });
    await replica.write('chain', { ...held('d'), preferredHolder: 'e', strategy: 'OldestEmulationVersion' });
    await replica.write('chain', { ...held('e'), preferredHolder: undefined });
    await replica.delete('chain');
    await replica.create('chain', held('f'));
    expect(summary(await replica.history('chain'))).toEqual([
      'a Ended Replaced',
      'b Ended Replaced',
      'b Ended Expired',
      'c Ended Released',
      'd Ended HandedOver',
      'e Ended Deleted',
      'f Held',
    ]);
  });

  it('have the fencing token, the lease, its labels and what is known of its renewals', async () => {
    const renewed = Date.now() - 1_000;
    const lease = await replica.create('details', { ...held('<a>', renewed), leaseTransitions: 4 }, { zone: 'x', app: 'y' });
    const [term] = await other.history('details');
    const { resourceVersion, uid } = lease.metadata;
    expect(term).toMatchObject({
      kind: 'LeaseTerm',
      apiVersion: 'history.coordination-apiserver.dev/v1',
      metadata: { name: `details.${resourceVersion}`, namespace: 'ns', labels: { zone: 'x', app: 'y' } },
      spec: {
        leaseName: 'details',
        leaseUID: uid,
        holder: '<a>',
        fencingToken: resourceVersion,
        leaseDurationSeconds: 15,
        leaseTransitions: 4,
      },
      status: { phase: 'Held' },
    });
    expect(Math.abs(Date.parse(term!.spec.from!) - Date.now())).toBeLessThan(60_000);
    await replica.write('details', { holderIdentity: '' });
    const [ended] = await other.history('details');
    expect(ended).toMatchObject({ status: { phase: 'Ended', reason: 'Released', lastRenewTime: microTime(renewed) } });
    expect(Number(ended!.metadata.resourceVersion)).toBeGreaterThan(Number(term!.metadata.resourceVersion));
    expect(Date.parse(ended!.status.until!)).toBeGreaterThanOrEqual(Date.parse(ended!.spec.from!));
  });

  it('are stored in the canonical form of the schema', async () => {
    await replica.create('canonical', { ...held('a&b\u2028\b\t\u0001"\\'), leaseTransitions: 0 }, { b: 'c', a: 'd' });
    await replica.write('canonical', { holderIdentity: '' });
    const { objects } = await replica.cached.list({ resource: TERM_RESOURCE, namespace: 'ns' }, { consistency: { kind: 'latest' } });
    const encode = compileEncoder(leaseTermV1.schema);
    for (const { data } of objects) expect(encode(JSON.parse(data) as object)).toBe(data);
    expect(objects.some(({ data }) => data.includes('"holder":"a\\u0026b'))).toBe(true);
  });

  it('take holders that PostgreSQL could not store, and long ones', async () => {
    await replica.create('odd', held('a\0b'));
    await replica.write('odd', held('\ud800'));
    await replica.write('odd', held('h'.repeat(100_000)));
    expect((await replica.history('odd')).map(({ spec }) => spec.holder)).toEqual(['a\ufffdb', '\ufffd', 'h'.repeat(600)]);
  });

  it('are selected by label, lease, holder and phase, and by name', async () => {
    await replica.create('chosen', held('selected-holder'), { chosen: 'yes' });
    await replica.write('chosen', held('another-holder'));
    const names = async (options: Partial<typeof LIST>) => (await replica.list(options)).map(({ spec }) => spec.holder);
    expect(await names({ fieldSelector: 'spec.holder=selected-holder' })).toEqual(['selected-holder']);
    expect(await names({ fieldSelector: 'spec.holder=selected-holder,status.phase=Held' })).toEqual([]);
    expect(await names({ labelSelector: 'chosen=yes', fieldSelector: 'status.phase=Ended' })).toEqual(['selected-holder']);
    expect(await names({ labelSelector: 'chosen=yes', fieldSelector: 'status.phase!=Ended' })).toEqual(['another-holder']);
    const [open] = await fixture.rows<{ count: number }>(
      `select count(*)::int as count from lease_term where segment = 0 and namespace = 'ns'`,
    );
    expect((await names({ fieldSelector: 'status.phase=Held' })).length).toBe(open!.count);
    expect(await names({ fieldSelector: 'status.phase=Held,spec.leaseName=chosen' })).toEqual(['another-holder']);
    const [term] = await replica.list({ fieldSelector: 'spec.holder=selected-holder' });
    expect(await names({ fieldSelector: `metadata.name=${term!.metadata.name}` })).toEqual(['selected-holder']);
    expect((await replica.list({ fieldSelector: 'spec.leaseName=chosen' }, '')).length).toBe(2);
    expect(await refusal(replica.list({ fieldSelector: 'spec.from=x' }))).toMatchObject({ code: 400 });
  });

  it('are listed in pages of one revision, whatever happens between them', async () => {
    for (let i = 0; i < 5; i++) await replica.create(`paged-${i}`, held('a'));
    const target = { version: leaseTermV1, namespace: 'ns', name: '' };
    const selector = { fieldSelector: 'spec.holder=a,status.phase=Held' };
    const whole = await replica.terms.list(target, { ...LIST, ...selector });
    const first = await replica.terms.list(target, { ...LIST, ...selector, limit: 2 });
    for (let i = 0; i < 5; i++) await other.write(`paged-${i}`, held('b'));
    await other.create('paged-9', held('a'));
    const paged = [...first.objects];
    for (let next = first.continue; next !== undefined;) {
      const page = await replica.terms.list(target, { ...LIST, ...selector, limit: 2, continue: next });
      expect(page.resourceVersion).toBe(first.resourceVersion);
      paged.push(...page.objects);
      next = page.continue;
    }
    expect(paged).toEqual(whole.objects);
    expect(paged.length).toBeGreaterThanOrEqual(5);
    const again = await replica.terms.list(target, {
      ...LIST,
      ...selector,
      resourceVersion: first.resourceVersion,
      resourceVersionMatch: 'Exact',
    });
    expect(again.objects).toEqual(whole.objects);
  });

  it('of one lease are listed with the newest first, page by page, as all of them were at the first', async () => {
    await replica.create('recent', held('h0'));
    for (let i = 1; i < 12; i++) await replica.write('recent', held(`h${i}`));
    const holders = (objects: readonly StoredObject[]) => objects.map((object) => decoded<LeaseTerm>(object).spec.holder);
    const newest = Array.from({ length: 12 }, (_, i) => `h${11 - i}`);
    const target = { version: leaseTermV1, namespace: 'ns', name: '' };
    const ofLease = { ...LIST, fieldSelector: 'spec.leaseName=recent' };
    expect(holders((await replica.terms.list(target, ofLease)).objects)).toEqual(newest);
    const first = await replica.terms.list(target, { ...ofLease, limit: 5 });
    await other.write('recent', held('later'));
    const paged = [...first.objects];
    for (let next = first.continue; next !== undefined;) {
      const page = await replica.terms.list(target, { ...ofLease, limit: 5, continue: next });
      expect(page.resourceVersion).toBe(first.resourceVersion);
      paged.push(...page.objects);
      next = page.continue;
    }
    expect(holders(paged)).toEqual(newest);
    const few = await open({ maxTerms: 4 });
    const part = { ...ofLease, fieldSelector: 'spec.leaseName=recent,spec.holder!=h9' };
    const page = await few.terms.list({ ...target, namespace: '' }, { ...part, limit: 4 });
    expect(holders(page.objects)).toEqual(['later', 'h11', 'h10']);
    const rest = await few.terms.list({ ...target, namespace: '' }, { ...part, limit: 4, continue: page.continue! });
    expect(holders(rest.objects)).toEqual(['h8', 'h7', 'h6', 'h5']);
  });

  it('are read at one revision until it is compacted', async () => {
    await replica.create('past', held('a'));
    const { resourceVersion } = await replica.terms.list({ version: leaseTermV1, namespace: 'ns', name: '' }, LIST);
    await replica.write('past', held('b'));
    await replica.postgres.compactor.rotate();
    await replica.postgres.compactor.compact(Number.MAX_SAFE_INTEGER);
    const exact = { resourceVersion, resourceVersionMatch: 'Exact' } as const;
    expect(await refusal(replica.list(exact))).toMatchObject({ code: 410 });
  });

  it('are watched by every replica: from the present state, and from a revision', async () => {
    const target = { version: leaseTermV1, namespace: 'ns', name: '' };
    const fieldSelector = 'spec.leaseName=watched';
    await replica.create('watched', held('a'));
    const { resourceVersion } = await replica.terms.list(target, LIST);
    const [whole, live, phases] = [new WatchRecorder(), new WatchRecorder(), new WatchRecorder()];
    const watches = await Promise.all([
      other.terms.watch(target, { ...LIST, watch: true, fieldSelector }, whole.receive),
      other.terms.watch(target, { ...LIST, watch: true, fieldSelector, resourceVersion }, live.receive),
      replica.terms.watch(target, { ...LIST, watch: true, fieldSelector: `${fieldSelector},status.phase=Held` }, phases.receive),
    ]);
    await replica.write('watched', held('b'));
    await other.delete('watched');
    await Promise.all([whole.untilEvents(4), live.untilEvents(3), phases.untilEvents(4)]);
    const seen = (recorder: WatchRecorder) =>
      recorder.events.map(({ type, object }) => `${type} ${summary([JSON.parse(object.data) as LeaseTerm])[0]}`);
    expect(seen(whole)).toEqual(['ADDED a Held', 'MODIFIED a Ended Replaced', 'ADDED b Held', 'MODIFIED b Ended Deleted']);
    expect(seen(live)).toEqual(seen(whole).slice(1));
    expect(seen(phases)).toEqual(['ADDED a Held', 'DELETED a Held', 'ADDED b Held', 'DELETED b Held']);
    for (const watch of watches) watch.close();
  });

  it('cost a renewal nothing: it sends the statement of a batch without terms, and that alone', async () => {
    const sent: string[] = [];
    const tracing = {
      current: () => undefined,
      step: (name: string, _: unknown, work: () => Promise<unknown>) => {
        sent.push(name);
        return work();
      },
    } as unknown as Tracing;
    const traced = await open({ database: { url: fixture.url, tracing } });
    await traced.create('renewed', held('a'));
    sent.length = 0;
    for (let i = 0; i < 3; i++) await traced.write('renewed', held('a', Date.now() + i));
    const written = () => sent.filter((name) => /commit|term/.test(name));
    expect(written()).toEqual(Array(3).fill('SQL commit_updates'));
    await traced.write('renewed', held('b'));
    expect(written().at(-1)).toBe('SQL commit_terms');
  });

  it('never stand in the way of a write, and are corrected by a comparison with the leases', async () => {
    await fixture.client.query('alter function lease_change_terms rename to broken');
    try {
      await replica.create('unrecorded', held('a'));
      await replica.write('unrecorded', held('b'));
    } finally {
      await fixture.client.query('alter function broken rename to lease_change_terms');
    }
    expect(await replica.history('unrecorded')).toEqual([]);
    await replica.create('lost', held('a'));
    await fixture.client.query(`delete from objects where resource = '${LEASE_RESOURCE}' and path = 'ns/lost'`);
    await replica.create('changed', held('a'));
    await fixture.client.query(
      `with counter as (update revision_counter set value = value + 1 returning value)
       update objects set revision = value, data = replace(data, '"holderIdentity":"a"', '"holderIdentity":"z"')
       from counter where path = 'ns/changed'`,
    );
    expect(await replica.postgres.terms.comparison.run()).toBe(4);
    expect(await replica.postgres.terms.comparison.run()).toBe(0);
    expect(summary(await replica.history('unrecorded'))).toEqual(['b Held']);
    expect(summary(await replica.history('lost'))).toEqual(['a Ended Unknown']);
    expect(summary(await replica.history('changed'))).toEqual(['a Ended Unknown', 'z Held']);
  });

  it('are compared in the database where their text is what the server writes, and by the server otherwise', async () => {
    const { client } = fixture;
    const differing = async (): Promise<unknown[]> =>
      (await client.query(`select path from lease_compare_terms('', 1000000) where path like 'ns/text-%' order by path`)).rows.map(
        ({ path }: { path: string }) => path,
      );
    const holders = ['plain', '<&>"\\', 'zoë \u2028 日本 🙂', ''];
    for (const [at, holder] of holders.entries()) await replica.create(`text-${at}`, held(holder));
    await replica.create('text-nobody');
    await replica.create('text-null', held('\0'));
    await replica.create('text-long', held('x'.repeat(5_000)));
    const annotations = { holderIdentity: 'b', spec: ',"spec":{"holderIdentity":"b"' };
    await replica.registry.createLease({ metadata: { name: 'text-quoted', annotations }, spec: held('a') });
    expect(await differing()).toEqual(['ns/text-long', 'ns/text-null']);
    await client.query(`update lease_term set holder = 'b' where segment = 0 and lease = 'text-quoted'`);
    await client.query(`update lease_term set lease_uid = 'other' where segment = 0 and lease = 'text-0'`);
    await client.query(`delete from lease_term where lease = 'text-1'`);
    expect(await differing()).toEqual(['ns/text-0', 'ns/text-1', 'ns/text-long', 'ns/text-null', 'ns/text-quoted']);
    expect(await replica.postgres.terms.comparison.run()).toBeGreaterThanOrEqual(5);
    expect(await differing()).toEqual(['ns/text-long', 'ns/text-null']);
    expect(await replica.postgres.terms.comparison.run()).toBe(0);
  });

  it('end as unknown where a write finds another holder than the one that was recorded', async () => {
    await replica.create('stale', held('a'));
    await fixture.client.query(`update lease_term set holder = 'other' where segment = 0 and lease = 'stale'`);
    await replica.write('stale', held('b'));
    expect(summary(await replica.history('stale'))).toEqual(['other Ended Unknown', 'b Held']);
  });

  it('are not recorded where nothing is kept', async () => {
    const without = await open({ termHistoryMs: 0 });
    await without.create('private', held('a'));
    await without.write('private', held('b'));
    expect(await without.history('private')).toEqual([]);
  });

  it('are refused as a list that would not fit into memory', async () => {
    const small = await open({ maxTerms: 10 });
    for (let i = 0; i < 11; i++) await small.create(`many-${i}`, held('many'));
    expect(await refusal(small.list())).toMatchObject({ code: 400, message: expect.stringContaining('10 terms at most') });
    expect(await small.list({ limit: 10 })).toHaveLength(10);
    expect(await small.list({ fieldSelector: 'spec.leaseName=many-7' })).toHaveLength(1);
    const target = { version: leaseTermV1, namespace: 'ns', name: '' };
    const sizes: number[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const page = await small.terms.list(target, { ...LIST, fieldSelector: 'spec.fencingToken!=0', limit: 7, continue: token });
      sizes.push(page.objects.length);
      token = page.continue;
    }
    const all = await fixture.rows(`select from lease_term where namespace = 'ns'`);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(all.length);
    const none = await small.terms.list(target, { ...LIST, labelSelector: 'a=b', limit: 1 });
    expect(none).toMatchObject({ objects: [], continue: expect.any(String) });
  });

  it('are watched from the present state, however many there are', async () => {
    const small = await open({ maxTerms: 10 });
    for (let i = 0; i < 25; i++) await small.create(`streamed-${i}`, held('many'));
    const target = { version: leaseTermV1, namespace: 'ns', name: '' };
    const fieldSelector = 'status.phase=Held,spec.holder=many';
    const streamed = async (options: Partial<typeof LIST>) => {
      const recorder = new WatchRecorder();
      const request = { ...LIST, watch: true, allowWatchBookmarks: true, sendInitialEvents: true, ...options } as const;
      const watch = await small.terms.watch(target, { ...request, resourceVersionMatch: 'NotOlderThan' }, recorder.receive);
      await recorder.until(({ bookmarks }) => bookmarks.length > 0);
      return { watch, recorder, names: recorder.events.map(({ object }) => object.key.name) };
    };
    const { watch, recorder, names } = await streamed({ fieldSelector });
    expect(names).toEqual((await replica.list({ fieldSelector })).map(({ metadata }) => metadata.name));
    await small.write('streamed-3', held('one'));
    await recorder.untilEvent(
      'DELETED',
      names.find((name) => name.startsWith('streamed-3.'))!,
    );
    watch.close();
    const all = await streamed({});
    expect(all.names).toEqual((await replica.list()).map(({ metadata }) => metadata.name));
    all.watch.close();
  });

  it('are dropped by whole partitions once they ended long ago, and while there are too many', async () => {
    const segments = async () =>
      (await fixture.rows<{ segment: number }>('select segment from lease_term_segment order by 1')).map((row) => row.segment);
    const partitions = async () =>
      (
        await fixture.rows<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'lease_term'::regclass`,
        )
      )
        .map(({ name }) => name.replace(/.*lease_term_/, ''))
        .map(Number)
        .sort((a, b) => a - b);
    await replica.create('kept', held('a'));
    await replica.create('dropped', held('a'));
    await replica.delete('dropped');
    const [first] = await segments();
    await fixture.client.query(`update lease_term_segment set started_at = now() - interval '4 days'`);
    expect(await replica.postgres.compactor.maintain()).toBe('done');
    expect(await segments()).toEqual([first, first! + 1]);
    await replica.create('later', held('a'));
    await replica.delete('later');
    await fixture.client.query(`update lease_term_segment set started_at = now() - interval '91 days' where segment > ${first}`);
    await replica.postgres.compactor.maintain();
    expect(await segments()).toEqual([first! + 1, first! + 2]);
    expect(await partitions()).toEqual([0, first! + 1, first! + 2]);
    expect(await replica.history('dropped')).toEqual([]);
    expect(summary(await replica.history('later'))).toEqual(['a Ended Deleted']);
    expect(summary(await replica.history('kept'))).toEqual(['a Held']);
    for (const name of ['newer', 'newest']) {
      await replica.create(name, held('a'));
      await replica.delete(name);
    }
    const few = await open({ termHistoryRows: 1 });
    await fixture.client.query(`update compaction set held_until = '-infinity'`);
    await few.postgres.compactor.maintain();
    expect(await segments()).toEqual([first! + 3]);
    expect(summary(await replica.history('kept'))).toEqual(['a Held']);
  });

  it('of one namespace make way for its own newer ones, and not those of another', async () => {
    await replica.create('quiet', held('a'));
    await replica.delete('quiet');
    await fixture.client.query(`
      with noisy as (
        insert into lease_term (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, created, revision)
        select max(s.segment), 'noisy', 'x', n, n::text, 'u', 'h', now(), now(), 'Released', n, n
        from lease_term_segment s, generate_series(1, 500) n group by n returning segment
      ) update lease_term_segment s set terms = terms + 500 where segment = (select max(segment) from noisy)`);
    const few = await open({ termHistoryRows: 100 });
    for (let turn = 0; turn < 2; turn++) {
      await fixture.client.query(`update compaction set held_until = '-infinity'`);
      await few.postgres.compactor.maintain();
    }
    expect(summary(await replica.history('quiet'))).toEqual(['a Ended Deleted']);
    const { rows } = await fixture.client.query<{ count: number; oldest: number; counted: number }>(`
      select count(*)::int as count, min(token)::int as oldest, (select sum(terms)::int from lease_term_segment) as counted
      from lease_term where namespace = 'noisy'`);
    const [noisy] = rows;
    expect(noisy?.count).toBeGreaterThan(50);
    expect(noisy?.count).toBeLessThan(90);
    expect(noisy?.oldest).toBe(501 - (noisy?.count ?? 0));
    expect(noisy?.counted).toBe(90);
  });
});

import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import type { ObjectKey, StoredObject } from '../../../src/storage/object-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import { latest, refusalCode, value } from '../../suites/store-under-test.js';
import { auditLog } from './log-audit.js';
import { type PostgresFixture, openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

const leases = 'leases.test';
const lease = (name: string, namespace = 'ns'): ObjectKey => ({ resource: leases, namespace, name });
const expected = (error: unknown) => {
  if (!isStorageError(error) || error.code === 'Unavailable') throw error;
};

describe('several stores on one database', () => {
  const fixture = forAllTests(() => openFixture(2));

  it.each([1, 2])('let exactly one of 64 writers with one expected revision win (%i stores)', async (count) => {
    const { stores } = fixture;
    for (let round = 0; round < 5; round++) {
      const key = lease(`race-${count}-${round}`);
      const current = await stores[0]!.create(key, value('start'));
      const racers = Array.from({ length: 64 }, (_, i) => stores[i % count]!.update(current, value(`racer ${i}`)));
      const results = await Promise.allSettled(racers);
      const winners = results.filter((result) => result.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'Conflict' });
      expect((await stores[1]!.get(key, latest)).object).toEqual(winners[0]!.value);
    }
  });

  it('let exactly one of 64 creators of one name win', async () => {
    const { stores } = fixture;
    const results = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => stores[i % 2]!.create(lease('created-once'), value(`${i}`))),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'Exists' });
  });

  it.each(['terminates', 'is deleted'])('leave no orphan when a container %s while objects are created in it', async (end) => {
    const { stores } = fixture;
    let made = 0;
    for (let round = 0; round < 25; round++) {
      const namespace = `${end.replaceAll(' ', '-')}-${round}`;
      const container: ObjectKey = { resource: 'namespaces', namespace: '', name: namespace };
      const active = await stores[round % 2]!.create(container, value('active'));
      const creations = Promise.allSettled(
        Array.from({ length: 40 }, (_, i) => stores[i % 2]!.create(lease(`l${i}`, namespace), value(), { container })),
      );
      const store = stores[(round + 1) % 2]!;
      const ended = end === 'terminates' ? (await store.update(active, value('', true))).revision : await store.delete(active);
      const listed = await store.list({ resource: leases, namespace }, { consistency: latest });
      const created = (await creations).flatMap((result) => {
        if (result.status === 'fulfilled') return [result.value];
        expect(result.reason).toMatchObject({ code: end === 'terminates' ? 'ContainerTerminating' : 'ContainerMissing' });
        return [];
      });
      // a list after the deletion shows every object ever created inside
      expect(listed.objects.map(({ key }) => key.name).sort()).toEqual(created.map(({ key }) => key.name).sort());
      for (const { revision } of created) expect(revision).toBeLessThan(ended);
      made += created.length;
    }
    expect(made).toBeGreaterThan(0);
  });

  it.each(['terminates', 'is deleted'])('refuse a creation that waited while its container %s', async (end) => {
    const { stores, client } = fixture;
    const container: ObjectKey = { resource: 'namespaces', namespace: '', name: `waited-${end.replaceAll(' ', '-')}` };
    const active = await stores[0]!.create(container, value('active'));
    const waiting = async (batches: number) => {
      const rows = await fixture.rows(
        `select 1 from pg_stat_activity where datname = current_database() and application_name like '% writes' and wait_event_type = 'Lock'`,
      );
      return rows.length === batches;
    };
    await client.query('begin; select * from revision_counter for update');
    const ended = end === 'terminates' ? stores[0]!.update(active, value('', true)) : stores[0]!.delete(active);
    await eventually(() => waiting(1));
    // the snapshot of the creation still shows the active container
    const creation = refusalCode(stores[1]!.create(lease('late', container.name), value(), { container }));
    await eventually(() => waiting(2));
    await client.query('commit');
    await ended;
    expect(await creation).toBe(end === 'terminates' ? 'ContainerTerminating' : 'ContainerMissing');
  });

  it('show every revision of eight writers on both once and in order, to watchers and to followers', async () => {
    const { stores } = fixture;
    const start = await stores[0]!.currentRevision();
    const watched: number[][] = [[], []];
    const followed: number[][] = [[], []];
    const ends = await Promise.all(
      stores.map(async (store, i) => {
        const cache = await fixture.cache(store);
        const watch = await cache.watch({ resource: leases }, { after: BigInt(start) }, (items) => {
          for (const item of items) if (item.kind === 'event') watched[i]!.push(item.event.revision);
        });
        const stop = follow(store, start, followed[i]!);
        return () => {
          watch.close();
          stop();
        };
      }),
    );
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const store = stores[writer % 2]!;
        let current: StoredObject | undefined;
        for (let n = 0; n < 150; n++) {
          if (current && n % 50 === 49) {
            await store.delete(current);
            current = undefined;
          } else {
            current = current ? await store.update(current, value(`${n}`)) : await store.create(lease(`writer-${writer}`), value());
          }
        }
      }),
    );
    const rows = await fixture.rows<{ revision: number }>('select revision from revision_log where revision > $1 order by revision', [
      start,
    ]);
    const revisions = rows.map(({ revision }) => revision);
    expect(revisions.length).toBe(8 * 150);
    await eventually(() => [...watched, ...followed].every((seen) => seen.length >= revisions.length));
    for (const end of ends) end();
    for (const seen of [...watched, ...followed]) expect(seen).toEqual(revisions);
  });

  it('make no invalid transition while both write, delete and create the same few names', async () => {
    const { stores } = fixture;
    const end = Date.now() + 3_000;
    const keys = Array.from({ length: 20 }, (_, i) => lease(`mixed-${i}`));
    await Promise.all(
      Array.from({ length: 24 }, async (_, writer) => {
        const store = stores[writer % 2]!;
        for (let n = writer; Date.now() < end; n++) {
          const key = keys[(n * 7) % keys.length]!;
          const { object } = await store.get(key, latest);
          const write = !object
            ? store.create(key, value(`${writer} ${n}`))
            : n % 3 === 0
              ? store.delete(object)
              : store.update(object, value(`${writer} ${n}`));
          await write.catch(expected);
        }
      }),
    );
    const audit = await auditLog(fixture);
    expect(audit.faults).toEqual([]);
    expect(audit.changes).toBeGreaterThan(1_000);
  });
});

/** Follows as a cache does: takes own commits if they fit, otherwise reads. */
function follow(store: PostgresFixture['stores'][number], start: number, seen: number[]): () => void {
  let at = start;
  let reading: Promise<void> | undefined;
  let again = false;
  const read = async () => {
    do {
      again = false;
      const changes = await store.readChanges(at);
      if (changes === 'compacted') throw new Error('compacted');
      if (changes.revision > at) {
        seen.push(...changes.events.filter(({ revision }) => revision > at).map(({ revision }) => revision));
        at = changes.revision;
      }
    } while (again);
    reading = undefined;
  };
  const wake = () => {
    again = true;
    reading ??= read();
  };
  const stops = [
    store.onWake(wake),
    store.onCommitted((changes) => {
      if (changes.after !== at) return wake();
      seen.push(...changes.events.map(({ revision }) => revision));
      at = changes.revision;
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { testNeeding } from '../../support/database-needs.js';
import { exact, latest, refusal, refusalCode, value, Workspace } from '../../suites/store-under-test.js';
import { auditLog } from './log-audit.js';
import { openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

describe('the revision log', () => {
  const fixture = forEachTest(() => openFixture(2));

  const partitions = async () => {
    const rows = await fixture.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'revision_log'::regclass order by c.oid`,
    );
    return rows.map(({ name }) => Number(name.replace('revision_log_', '')));
  };
  const tables = async () => {
    const rows = await fixture.rows<{ count: number }>(`select count(*) from pg_class where relkind = 'r' and relname ~ '^revision_log_'`);
    return rows[0]!.count;
  };

  it('begins above 1, and everything before counts as compacted', async () => {
    const [store] = fixture.stores;
    const revision = await store!.currentRevision();
    expect(revision).toBeGreaterThan(1);
    expect(await store!.readChanges(revision - 1)).toBe('compacted');
    expect(await store!.readChanges((await fixture.compactedRevision()) - 1)).toBe('compacted');
    expect(await store!.readChanges(revision)).toEqual({ after: revision, revision, events: [] });
  });

  it('continues in the next segment, and two are always attached ahead', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    let object = await space.create('ns/a', '0');
    for (let i = 1; i <= 5; i++) {
      await (i % 2 ? store! : other!).compactor.rotate();
      object = await space.update(object, `${i}`);
      const [counter] = await fixture.rows<{ segment: number }>('select segment from revision_counter');
      expect(counter!.segment).toBe(1 + i);
      expect((await partitions()).filter((segment) => segment > counter!.segment)).toHaveLength(2);
    }
    expect(await auditLog(fixture)).toEqual({ changes: 6, faults: [] });
  });

  it('finds the state before every change, whichever segment contains it', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const start = await store!.currentRevision();
    const history: StoredObject[] = [await space.create('ns/a', '0')];
    const push = async (data: string) => void history.push(await space.update(history.at(-1)!, data));
    await push('1');
    await other!.compactor.rotate();
    await push('2');
    await push('3');
    await store!.compactor.rotate();
    const deleted = await store!.delete(history.at(-1)!);

    const changes = await other!.readChanges(start);
    if (changes === 'compacted') throw new Error('compacted');
    expect(changes.events.map(({ type, previous }) => [type, previous])).toEqual([
      ['ADDED', undefined],
      ...history.slice(1).map((_, i) => ['MODIFIED', history[i]]),
      ['DELETED', history.at(-1)],
    ]);
    // each in a call of its own, so that none is taken from the rows before
    for (const [i, { revision }] of history.slice(1).entries()) {
      const alone = await other!.readChanges(revision - 1);
      if (alone === 'compacted') throw new Error('compacted');
      expect(alone.events[0]).toMatchObject({ revision, previous: history[i] });
    }
    for (const state of history) {
      expect((await other!.get(state.key, exact(state.revision))).object).toEqual(state);
    }
    expect((await other!.get(history[0]!.key, exact(deleted))).object).toBeUndefined();
  });

  it("takes previous states from the reader's cache if they are the right ones", async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const [a, b] = await space.createAll('ns/a', 'ns/b');
    const at = await store!.currentRevision();
    await space.update(a!, '1');
    await store!.delete(b!);
    const known = new Map([a!, b!].map((object) => [object.key.name, object]));
    const right = await store!.readChanges(at, ({ name }) => known.get(name));
    const wrong = await store!.readChanges(at, ({ name }) => ({ ...known.get(name)!, revision: 1, data: 'wrong' }));
    if (right === 'compacted' || wrong === 'compacted') throw new Error('compacted');
    expect(right).toEqual(wrong);
    expect(right).toEqual(await store!.readChanges(at));
    expect(right.events[0]!.previous).toBe(a);
    expect(right.events[1]!.previous).toBe(b);
  });

  it('drops every segment that is compacted as a whole, and keeps those that later segments need', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const first = await space.create('ns/a', '0');
    await store!.compactor.rotate();
    const second = await space.update(first, '1');
    const third = await space.update(second, '2');
    await store!.compactor.rotate();
    const fourth = await space.update(third, '3');
    await store!.compactor.compact(second.revision);

    expect(await partitions()).not.toContain(1);
    expect(await partitions()).toContain(2);
    expect(await fixture.compactedRevision()).toBe(second.revision);
    expect((await refusal(store!.get(first.key, exact(first.revision)))).code).toBe('Compacted');
    expect((await store!.get(first.key, exact(second.revision))).object).toEqual(second);
    expect(await store!.readChanges(second.revision)).toMatchObject({
      events: [
        { object: third, previous: second },
        { object: fourth, previous: third },
      ],
    });
    await store!.compactor.compact(Number.MAX_SAFE_INTEGER);
    expect(await fixture.compactedRevision()).toBe(fourth.revision);
    expect((await partitions())[0]).toBe(3);
    expect(await tables()).toBe((await partitions()).length);
    expect((await store!.get(first.key, latest)).object).toEqual(fourth);
  });

  it('is rotated and compacted by age alone, whichever replica does it, and left alone while nothing is written', async () => {
    const store = await fixture.open({ rotationIntervalMs: 20, compactionIntervalMs: 60 });
    const space = new Workspace(store);
    let object = await space.create('ns/a', '0');
    const first = object;
    for (let i = 1; i <= 12; i++) {
      object = await space.update(object, `${i}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
      await store.compactor.maintain();
    }
    expect(await refusalCode(store.get(first.key, exact(first.revision)))).toBe('Compacted');
    expect((await partitions())[0]).toBeGreaterThan(1);
    expect((await partitions()).length).toBeLessThan(12);
    const before = await partitions();
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      await store.compactor.maintain();
    }
    expect((await partitions()).at(-1)).toBe(before.at(-1));
  });

  it('stays in a segment of few changes for half the time that changes are kept', async () => {
    const store = await fixture.open({ compactionIntervalMs: 300_000 });
    const space = new Workspace(store);
    const segmentAfter = async (seconds: number) => {
      await fixture.client.query(
        `update log_segment set started_at = now() - interval '${seconds} seconds' where segment = (select segment from revision_counter)`,
      );
      await store.compactor.maintain();
      const [counter] = await fixture.rows<{ segment: number }>('select segment from revision_counter');
      return counter!.segment;
    };
    await space.create('ns/a', '0');
    const first = await segmentAfter(100);
    expect(await segmentAfter(149)).toBe(first);
    expect(await segmentAfter(151)).toBe(first + 1);
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => space.create(`ns/many-${n}`)));
    expect(await segmentAfter(47)).toBe(first + 1);
    expect(await segmentAfter(49)).toBe(first + 2);
  });

  it('leaves a segment of few changes as early as a short interval asks for', async () => {
    const store = await fixture.open({ compactionIntervalMs: 20_000 });
    await new Workspace(store).create('ns/a', '0');
    await fixture.client.query(`update log_segment set started_at = now() - interval '11 seconds'`);
    await store.compactor.maintain();
    expect(await fixture.rows('select segment from revision_counter')).toEqual([{ segment: 2 }]);
  });

  it('lets one replica at a time do the maintenance, and another once that one is gone', async () => {
    const [store] = fixture.stores;
    await store!.compactor.maintain();
    const [before] = await fixture.rows<{ segment: number }>('select segment from revision_counter');
    const other = await fixture.open({ rotationIntervalMs: 1, compactionIntervalMs: 5 });
    await new Workspace(other).create('ns/a');
    await new Promise((resolve) => setTimeout(resolve, 10));
    await other.compactor.maintain();
    expect(await fixture.rows('select segment from revision_counter')).toEqual([before]);
    await fixture.client.query(`update compaction set held_until = now()`);
    await other.compactor.maintain();
    expect(await fixture.rows('select segment from revision_counter')).toEqual([{ segment: before!.segment + 1 }]);
  });

  it('stays correct when replicas rotate and compact at once', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    let object = await space.create('ns/a', '0');
    for (let i = 1; i <= 5; i++) {
      const work = [store!, other!].flatMap(({ compactor }) => [compactor.rotate(), compactor.compact(object.revision - 2)]);
      object = await space.update(object, `${i}`);
      await Promise.allSettled(work);
    }
    await store!.compactor.rotate();
    await other!.compactor.compact(object.revision);
    expect((await partitions()).length).toBe(3);
    expect(await tables()).toBe(3);
    expect((await store!.get(object.key, latest)).object).toEqual(object);
  });

  testNeeding('sessions', 'is rotated and compacted without blocking writes while a reader holds a snapshot', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    await space.create('ns/first');
    await fixture.client.query('begin isolation level repeatable read');
    await fixture.client.query('select count(*) from revision_log, objects, revision_counter');

    let writing = true;
    let written = 0;
    const writers = [store!, other!].map(async (writer, i) => {
      let object = await space.create(`ns/w${i}`);
      for (; writing; written++) object = await writer.update(object, value(`${written}`));
      return object;
    });
    const during = async (work: Promise<unknown>) => {
      const before = written;
      await work;
      return written - before;
    };
    for (let i = 0; i < 4; i++) expect(await during(store!.compactor.rotate())).toBeGreaterThan(0);
    // the reader has the partitions open: they stay, and compaction retries them
    const compact = () => other!.compactor.compact(Number.MAX_SAFE_INTEGER);
    const busy = expect(compact()).rejects.toMatchObject({ code: '55P03' });
    expect(await during(busy)).toBeGreaterThan(100);
    expect(await during(expect(compact()).rejects.toMatchObject({ code: '55P03' }))).toBeGreaterThan(100);
    await fixture.client.query('commit');
    expect(await during(compact())).toBeGreaterThan(0);
    expect((await partitions())[0]).toBe(5);
    writing = false;
    for (const object of await Promise.all(writers)) expect((await store!.get(object.key, latest)).object).toEqual(object);
  });

  it('gives a consistent snapshot while segments come and go', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, i) => {
      let object = await space.create(`ns/w${i}`);
      for (let n = 0; writing; n++) object = await store!.update(object, value(`${n}`));
    });
    const maintenance = (async () => {
      while (writing) {
        await other!.compactor.rotate();
        await other!.compactor.compact((await other!.currentRevision()) - 20);
      }
    })();
    for (let i = 0; i < 20; i++) {
      const snapshot = await other!.loadSnapshot(0);
      const state = new Map(snapshot.objects.map((object) => [object.key.name, object]));
      expect(snapshot.history.revision).toBe(snapshot.revision);
      for (const event of snapshot.history.events.toReversed()) {
        expect(state.get(event.object.key.name)).toEqual(event.object);
        if (event.previous) state.set(event.object.key.name, event.previous);
        else state.delete(event.object.key.name);
      }
      for (const { revision } of state.values()) expect(revision).toBeLessThanOrEqual(snapshot.history.after);
    }
    writing = false;
    await Promise.all([...writers, maintenance]);
  });

  testNeeding('sessions', 'keeps the segments that a snapshot in progress reads', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const objects = await space.createAll('ns/a', 'ns/b');
    await store!.compactor.rotate();
    // the snapshot has begun and is stopped before it reads the log
    await fixture.client.query('begin; lock table objects in access exclusive mode');
    const reading = store!.loadSnapshot(600_000);
    await eventually(async () => {
      const rows = await fixture.rows(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length === 1;
    });
    await other!.compactor.compact(Number.MAX_SAFE_INTEGER).catch((error: { code: string }) => expect(error.code).toBe('55P03'));
    await fixture.client.query('commit');
    const { history } = await reading;
    expect(history.events.map(({ object }) => object)).toEqual(objects);
  });

  it('returns the requested history with a snapshot, as far as it exists', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a', '0');
    await store!.compactor.rotate();
    const b = await space.update(a, '1');
    await fixture.client.query(`update log_segment set started_at = started_at - interval '100 s' where segment = 2`);
    await store!.compactor.rotate();
    const c = await space.update(b, '2');
    expect((await store!.loadSnapshot(60_000)).history).toEqual({
      after: a.revision,
      revision: c.revision,
      events: [
        { type: 'MODIFIED', revision: b.revision, object: b, previous: a },
        { type: 'MODIFIED', revision: c.revision, object: c, previous: b },
      ],
    });
    expect((await store!.loadSnapshot(600_000)).history.events).toHaveLength(3);
    const short = await fixture.open({ maxChanges: 1 });
    expect((await short.loadSnapshot(600_000)).history).toMatchObject({ after: c.revision - 1, events: [{ object: c, previous: b }] });
    expect(await short.readChanges(a.revision)).toBe('compacted');
  });
});

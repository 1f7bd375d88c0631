import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exact, latest, refusalCode, Workspace } from '../../suites/store-under-test.js';
import type { PostgresFixture } from './postgres-fixture.js';
import { eventually, openFixture } from './postgres-fixture.js';

const JUMP = 1_000_000_000;

describe('after a failover or a restore', () => {
  let fixture: PostgresFixture;

  beforeEach(async () => {
    fixture = await openFixture(2);
  });
  afterEach(() => fixture.close());

  /** What a promoted replica looks like: the log goes on under another timeline than the counter names. */
  const failOver = () => fixture.client.query(`update revision_counter set timeline = '00000000'`);

  it('revisions jump ahead once, whoever notices first, and everything before is compacted', async () => {
    const [store, other] = fixture.stores;
    const space = new Workspace(store!);
    const otherSpace = new Workspace(other!);
    const a = await space.create('ns/a', 'before');
    const b = await otherSpace.create('ns/b', 'before');
    await failOver();
    const [updated, second] = await Promise.all([space.update(a, 'after'), otherSpace.update(b, 'after')]);
    for (const { revision } of [updated, second]) {
      expect(revision).toBeGreaterThan(b.revision + JUMP);
      expect(revision).toBeLessThan(b.revision + JUMP + 100);
    }
    expect(await store!.readChanges(b.revision)).toBe('compacted');
    expect(await refusalCode(store!.get(a.key, exact(b.revision)))).toBe('Compacted');
    const jumped = await store!.compactedRevision();
    expect(jumped).toBe(b.revision + JUMP);
    expect(await other!.readChanges(jumped)).toMatchObject({
      events: expect.arrayContaining([
        { type: 'MODIFIED', revision: updated.revision, object: updated, previous: a },
        { type: 'MODIFIED', revision: second.revision, object: second, previous: b },
      ]),
    });
  });

  it('followers start anew even if nobody writes', async () => {
    const [store] = fixture.stores;
    const a = await new Workspace(store!).create('ns/a');
    await failOver();
    expect(await store!.readChanges(a.revision)).toBe('compacted');
    const snapshot = await store!.loadSnapshot(60_000);
    expect(snapshot).toMatchObject({ revision: a.revision + JUMP, objects: [a], history: { after: a.revision + JUMP, events: [] } });
    expect(await store!.readChanges(snapshot.revision)).toEqual({ after: snapshot.revision, revision: snapshot.revision, events: [] });
  });

  it('a follower that saw what the failover lost starts anew', async () => {
    const [store] = fixture.stores;
    await new Workspace(store!).create('ns/a');
    expect(await store!.readChanges((await store!.currentRevision()) + 5)).toBe('compacted');
  });

  it('watches end, so that their clients list again', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    const items: unknown[] = [];
    const watch = await store!.watch(space.range(), {}, (batch) => items.push(...batch));
    await failOver();
    await space.update(a, 'after');
    await watch.closed;
    expect(items.at(-1)).toMatchObject({ kind: 'error', error: { code: 'Compacted' } });
  });

  it('a connection that leads to another cluster is refused, until it leads back', async () => {
    // a function that stands before the system's own says which cluster this is
    await fixture.client.query(`
      create schema elsewhere;
      create table elsewhere.cluster as select 7::bigint as system_identifier;
      create function elsewhere.pg_control_system(out system_identifier bigint) language sql as 'select system_identifier from elsewhere.cluster'`);
    const store = await fixture.open({
      database: { url: `${fixture.url}?options=-c%20search_path%3Delsewhere%2Cpg_catalog` },
      patienceMs: 200,
    });
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    const goTo = async (cluster: number) => {
      await fixture.client.query('update elsewhere.cluster set system_identifier = $1', [cluster]);
      await fixture.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name ~ 'writes|reads'`,
      );
    };
    await goTo(8);
    expect(await refusalCode(space.update(a, 'lost'))).toBe('Unavailable');
    await goTo(7);
    expect((await space.update(a, 'back')).revision).toBeLessThan(a.revision + 100);
  });

  it('a database that was copied into another cluster jumps when a server starts on it', async () => {
    const [store] = fixture.stores;
    const space = new Workspace(store!);
    const a = await space.create('ns/a');
    await fixture.client.query(`update revision_counter set system_identifier = '1'`);
    const restored = await fixture.open();
    expect(await restored.currentRevision()).toBe(a.revision + JUMP);
    expect((await restored.get(a.key, latest)).object).toEqual(a);
    await eventually(async () => (await fixture.open()).currentRevision().then((revision) => revision === a.revision + JUMP));
  });
});

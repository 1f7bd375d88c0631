import { beforeEach, describe, expect, it } from '@jest/globals';
import { afterEachTest, forAllTests } from '../../support/for-tests.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { PostgresCopies } from '../../support/postgres-copies.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { any, exact, latest, refusalCode, Workspace } from '../../suites/store-under-test.js';
import { rowsOf } from '../../support/connected.js';
import { DatabaseProxy } from './database-proxy.js';
import { openTestStore } from './open-test-store.js';
import { eventually } from '../../support/eventually.js';

/** The storage part of a server: a watch cache over the database that an address currently leads to. */
class Server {
  readonly space: Workspace;

  private constructor(
    readonly store: PostgresStore,
    readonly cached: CachedStore,
    space: Workspace,
  ) {
    this.space = space;
  }

  static async open(url: string, like?: Server): Promise<Server> {
    const store = await openTestStore(url, { writeRetryMs: 30_000 });
    const cached = new CachedStore(store, { readTimeoutMs: 30_000 });
    await cached.start();
    const space = new Workspace(cached);
    return new Server(store, cached, like ? Object.assign(Object.create(space) as Workspace, { resource: like.space.resource }) : space);
  }

  /** Asks again while the server refuses reads because the database is known to be away. */
  states(): Promise<string[]> {
    return eventually(async () => {
      try {
        const { objects } = await this.cached.list(this.space.range(), { consistency: latest });
        return objects.map(stateOf);
      } catch (error) {
        if (isStorageError(error, 'Unavailable')) return undefined;
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.cached.close();
    await this.store.close();
  }
}

const stateOf = ({ key, data, revision }: StoredObject): string => `${key.name}=${data}@${revision}`;

/** The state of a client with an informer, which lists again when its watch ends with 410. */
class Informer {
  readonly #states = new Map<string, string>();
  readonly revisions: number[] = [];
  relists = 0;
  #stopped = false;
  #close: () => void = () => undefined;

  constructor(readonly server: Server) {
    void this.#run();
  }

  get states(): string[] {
    return [...this.#states.values()].sort();
  }

  stop(): void {
    this.#stopped = true;
    this.#close();
  }

  async #run(): Promise<void> {
    for (; !this.#stopped; this.relists++) {
      const { objects, revision } = await this.server.cached.list(this.server.space.range(), { consistency: any });
      this.#states.clear();
      for (const object of objects) this.#states.set(object.key.name, stateOf(object));
      await this.#follow(revision);
    }
  }

  async #follow(after: number): Promise<void> {
    const watch = await this.server.cached.watch(this.server.space.range(), { after: BigInt(after) }, (items) => {
      for (const item of items) {
        if (item.kind !== 'event') continue;
        const { type, object, revision } = item.event;
        this.revisions.push(revision);
        if (type === 'DELETED') this.#states.delete(object.key.name);
        else this.#states.set(object.key.name, stateOf(object));
      }
    });
    this.#close = () => watch.close();
    await watch.closed;
  }
}

describe('after another copy replaces the database', () => {
  let proxy: DatabaseProxy;
  let ends: (() => Promise<void> | void)[];

  const copies = forAllTests(() => new PostgresCopies());
  beforeAll(async () => {
    const store = await openTestStore(await copies.start('base'));
    await new Workspace(store).create('ns/before');
    await store.close();
    await copies.stop('base');
  });
  beforeEach(async () => {
    copies.copy('base', 'primary');
    const primary = await copies.start('primary');
    proxy = await DatabaseProxy.start(primary);
    ends = [];
    lead(primary);
  });
  afterEachTest(async () => {
    for (const end of ends.reverse()) await end();
    await proxy.close();
    await copies.stopAll();
  });

  const address = () => proxy.url(`postgresql://coordination:${new URL(url()).password}@127.0.0.1/postgres`);
  let current = '';
  const url = () => current;
  const lead = (to: string, options?: { keep: boolean }) => {
    current = to;
    proxy.lead(to, options);
  };
  const open = async (like?: Server): Promise<Server> => {
    const server = await Server.open(address(), like);
    ends.push(() => server.close());
    return server;
  };
  const inform = (server: Server): Informer => {
    const informer = new Informer(server);
    ends.push(() => informer.stop());
    return informer;
  };
  const updates = async (server: Server, object: StoredObject, count: number, text: string): Promise<StoredObject[]> => {
    const states: StoredObject[] = [];
    let newest = object;
    for (let i = 0; i < count; i++) states.push((newest = await server.space.update(newest, `${text}${i}`)));
    return states;
  };

  it('losing a rotation in the failover costs no event, no fresh read and no write', async () => {
    const a = await open();
    const b = await open(a);
    const [object, other] = await a.space.createAll('ns/a', 'ns/b');
    await eventually(async () => (await b.states()).length === 2);
    // The standby has the objects, but not the later rotation.
    await copies.stop('primary');
    copies.copy('primary', 'standby');
    lead(await copies.start('primary'));
    const watching = inform(b);
    await eventually(() => watching.states.length === 2);
    await a.store.compactor.rotate();
    await a.space.update(other!, 'lost');
    await eventually(async () => (await b.states())[1]!.includes('lost'));

    await copies.stop('primary');
    lead(await copies.promote('standby'));
    const after = await updates(a, object!, 20, 'after');
    for (const state of after) expect(state.revision).toBeGreaterThan(other!.revision);
    expect(await b.states()).toEqual(await a.states());
    expect(await b.states()).toEqual([stateOf(after.at(-1)!), stateOf(other!)]);
    await eventually(() => JSON.stringify(watching.states) === JSON.stringify([stateOf(after.at(-1)!), stateOf(other!)]));
    // A client that last read through b writes through b.
    const [read] = (await b.cached.list(b.space.range(), { consistency: latest })).objects;
    const written = await b.space.update(read!, 'by b');
    await eventually(() => watching.states[0] === stateOf(written));
    expect(await a.states()).toEqual(await b.states());
  });

  it('a lost rotation is forgotten even if nothing was written after it', async () => {
    const a = await open();
    const b = await open(a);
    const object = await a.space.create('ns/a', 'x');
    await eventually(async () => (await b.states()).length === 1);
    copies.copy('base', 'standby');
    await copies.catchUp('standby', url());
    await a.store.compactor.rotate();
    // Both servers have seen the new segment.
    await b.states();
    const next = await b.store.readChanges(object.revision);
    expect(next).not.toBe('compacted');
    const watching = inform(b);
    await eventually(() => watching.states.length === 1);

    await copies.stop('primary');
    lead(await copies.promote('standby'));
    const after = await updates(a, object, 5, 'after');
    expect(await b.states()).toEqual([stateOf(after.at(-1)!)]);
    await eventually(() => watching.states[0] === stateOf(after.at(-1)!));
    expect(watching.revisions.filter((revision) => revision > object.revision)).toEqual(after.map(({ revision }) => revision));
    // No change that a client had seen was lost, so no client had to list again.
    expect(watching.relists).toBe(0);
  });

  it('restoring one backup twice repeats no revision, and no client is misled by what it saw before', async () => {
    await copies.stop('primary');
    const given: number[][] = [];
    const lost: StoredObject[][] = [];
    for (const name of ['first', 'second', 'third']) {
      copies.copy('base', name);
      lead(await copies.start(name));
      const server = await open();
      const object = await server.space.create('ns/a', name);
      const states = [object, ...(await updates(server, object, 29, name))];
      given.push(states.map(({ revision }) => revision));
      for (const { revision } of lost.flat()) {
        expect(await refusalCode(server.cached.list(server.space.range(), { consistency: exact(revision) }))).toBe('Compacted');
        expect(await refusalCode(server.store.list(server.space.range(), { consistency: exact(revision) }))).toBe('Compacted');
      }
      const seen = lost.at(-1)?.at(-1)?.revision;
      if (seen !== undefined) {
        const recorder = new WatchRecorder();
        const watch = await server.cached.watch(server.space.range(), { after: BigInt(seen) }, recorder.receive);
        await watch.closed;
        expect(recorder.error).toMatchObject({ code: 'Compacted' });
      }
      lost.push(states);
      await server.close();
      await copies.stop(name);
    }
    const all = given.flat();
    expect(new Set(all).size).toBe(all.length);
    expect([...all].sort((x, y) => x - y)).toEqual(all);
  });

  it('a standby that was promoted and lost, and another promoted, repeat no revision; a replica paused meanwhile finds out', async () => {
    const a = await open();
    const other = await DatabaseProxy.start(url());
    ends.push(() => other.close());
    const b = await Server.open(other.url(address()), a);
    ends.push(() => b.close());
    const object = await a.space.create('ns/a', 'x');
    await eventually(async () => (await b.states()).length === 1);
    await copies.stop('primary');
    copies.copy('primary', 'one');
    copies.copy('primary', 'two');

    const one = await copies.promote('one');
    lead(one);
    other.lead(one);
    const first = await updates(a, object, 20, 'one');
    const watching = inform(b);
    await eventually(() => watching.states[0] === stateOf(first.at(-1)!));
    // b receives nothing from here on, as if it were paused.
    other.refuse();
    await copies.stop('one');

    const two = await copies.promote('two');
    lead(two);
    const second = await updates(a, object, 30, 'two');
    const revisions = [...first, ...second].map(({ revision }) => revision);
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(second[0]!.revision).toBeGreaterThan(first.at(-1)!.revision);

    other.lead(two);
    other.open();
    expect(await b.states()).toEqual([stateOf(second.at(-1)!)]);
    await eventually(() => watching.states[0] === stateOf(second.at(-1)!));
    expect(watching.relists).toBeGreaterThan(0);
    expect(await refusalCode(b.space.update(first.at(-1)!, 'from a lost future'))).toBe('Conflict');
  });

  it('servers detect a data directory that was put back under them if they saw changes that are gone', async () => {
    const a = await open();
    const b = await open(a);
    const object = await a.space.create('ns/a', 'x');
    await copies.stop('primary');
    copies.copy('primary', 'snapshot');
    lead(await copies.start('primary'));
    const watching = inform(b);
    const gone = await updates(a, object, 25, 'gone');
    const ghost = await a.space.create('ns/ghost', 'gone');
    await eventually(() => watching.states.length === 2);

    await copies.stop('primary');
    copies.copy('snapshot', 'primary');
    lead(await copies.start('primary'));
    const after = await updates(a, object, 25, 'after');
    for (const { revision } of after) expect(revision).toBeGreaterThan(ghost.revision);
    expect(new Set([...gone, ...after].map(({ revision }) => revision)).size).toBe(50);
    const states = [stateOf(after.at(-1)!)];
    expect(await a.states()).toEqual(states);
    expect(await b.states()).toEqual(states);
    await eventually(() => JSON.stringify(watching.states) === JSON.stringify(states));
  });

  it("an old primary that lives on assigns revisions below the new one's, and is left with the first new connection", async () => {
    const a = await open();
    const object = await a.space.create('ns/a', 'x');
    copies.copy('base', 'standby');
    await copies.catchUp('standby', url());
    const old = url();
    const one = await copies.promote('standby');
    lead(one, { keep: true });
    const b = await open(a);
    const watching = inform(a);
    const here = await updates(b, object, 5, 'new');
    const there = await updates(a, object, 5, 'old');
    for (const { revision } of there) {
      expect(revision).toBeGreaterThan(object.revision);
      expect(revision).toBeLessThan(here[0]!.revision);
    }
    await eventually(() => watching.states[0] === stateOf(there.at(-1)!));

    // One of a's connections is lost; those for reads still lead to the old primary.
    await rowsOf(old, `select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% writes'`);
    // A write sent before the loss is noticed has an unknown outcome, and a client retries it.
    const create = (): Promise<StoredObject> =>
      a.space
        .create('ns/b', 'new')
        .catch((error: unknown) => (isStorageError(error, 'OutcomeUnknown') ? create() : Promise.reject(error as Error)));
    const next = await create();
    expect(next.revision).toBeGreaterThan(here.at(-1)!.revision);
    expect(await a.states()).toEqual([stateOf(here.at(-1)!), stateOf(next)]);
    await eventually(() => JSON.stringify(watching.states) === JSON.stringify([stateOf(here.at(-1)!), stateOf(next)]));
    expect(await refusalCode(a.space.update(there.at(-1)!, 'from the old primary'))).toBe('Conflict');
  });

  it('a restart of the same database ends no watch and no page', async () => {
    const a = await open();
    const b = await open(a);
    const object = await a.space.create('ns/a', 'x');
    const watching = inform(b);
    await eventually(() => watching.states.length === 1);
    await copies.stop('primary');
    lead(await copies.start('primary'));
    const after = await updates(a, object, 5, 'after');
    await eventually(() => watching.states[0] === stateOf(after.at(-1)!));
    expect(watching.revisions.filter((revision) => revision > object.revision)).toEqual(after.map(({ revision }) => revision));
    expect(watching.relists).toBe(0);
    expect((await b.cached.list(b.space.range(), { consistency: exact(object.revision) })).objects).toEqual([object]);
    const c = await open(a);
    expect((await c.cached.list(c.space.range(), { consistency: exact(object.revision) })).objects).toEqual([object]);
  });
});

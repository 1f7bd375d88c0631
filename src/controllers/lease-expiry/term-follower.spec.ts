import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { WatchedMemoryStore } from '../../../test/support/watched-memory-store.js';
import type { StoredObject, Watch } from '../../storage/object-store.js';
import { TERM_RESOURCE } from '../../storage/term-change.js';
import { TermFollower } from './term-follower.js';

const HELD = '{"status":{"phase":"Held"}}';
const LAPSED = '{"status":{"phase":"Held","lapsed":true}}';
const ENDED = '{"status":{"phase":"Ended","lapsed":true}}';

let scheduler: ManualScheduler;
let store: WatchedMemoryStore;
let open: Watch[];
let lists: { readonly resolve: (lapsed: Set<string>) => void; readonly reject: (error: Error) => void }[];
let follower: TermFollower;

const begin = (name: string, data: string) =>
  store.create({ resource: TERM_RESOURCE, namespace: 'ns', name: `${name}.1` }, { uid: name, data, terminating: false });
const change = (term: StoredObject, data: string) => store.update(term, { uid: term.uid, data, terminating: false });
const answer = async (...paths: string[]) => {
  lists.at(-1)?.resolve(new Set(paths));
  await scheduler.pass(0);
};

beforeEach(() => {
  scheduler = new ManualScheduler();
  store = new WatchedMemoryStore({ scheduler });
  open = [];
  lists = [];
  const watch: WatchedMemoryStore['watch'] = async (...args) => {
    const opened = await store.watch(...args);
    open.push(opened);
    void opened.closed.then(() => open.splice(open.indexOf(opened), 1));
    return opened;
  };
  follower = new TermFollower({
    objects: { watch },
    lapses: { list: () => new Promise((resolve, reject) => lists.push({ resolve, reject })) },
    scheduler,
    logger: pino({ level: 'silent' }),
    onList: () => undefined,
    onChange: () => undefined,
  });
});
afterEach(() => follower.stop());

describe('TermFollower', () => {
  it('prefers changes since the watch began to the list, which may be older', async () => {
    const [late, early] = [await begin('late', LAPSED), await begin('early', HELD)];
    void follower.start();
    await scheduler.pass(0);
    await change(late, HELD);
    await change(early, LAPSED);
    await answer('ns/late', 'ns/other');
    expect(['ns/late', 'ns/early', 'ns/other'].map((path) => follower.hasLapsed(path))).toEqual([false, true, true]);
  });

  it('forgets a term that has ended', async () => {
    const term = await begin('a', LAPSED);
    void follower.start();
    await scheduler.pass(0);
    await answer('ns/a');
    expect(follower.hasLapsed('ns/a')).toBe(true);
    await change(term, ENDED);
    await scheduler.pass(0);
    expect(follower.hasLapsed('ns/a')).toBe(false);
  });

  it('follows by one watch, though a watch ends and its list fails', async () => {
    void follower.start();
    await scheduler.pass(0);
    open[0]?.close();
    await scheduler.pass(0);
    lists[0]?.reject(new Error('away'));
    await scheduler.pass(5_000);
    expect([lists.length, open.length]).toEqual([2, 1]);
    follower.stop();
    await scheduler.pass(5_000);
    expect(open).toEqual([]);
  });

  it('does not take the list of a watch that has ended', async () => {
    void follower.start();
    await scheduler.pass(0);
    open[0]?.close();
    await scheduler.pass(1_000);
    await answer('ns/new');
    lists[0]?.resolve(new Set(['ns/old']));
    await scheduler.pass(0);
    expect([follower.hasLapsed('ns/old'), follower.hasLapsed('ns/new')]).toEqual([false, true]);
  });
});

import type { ObjectStore } from '../../../src/storage/object-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { eventually } from '../../support/eventually.js';
import { ManualScheduler } from '../../support/manual-scheduler.js';
import { createTestDatabase } from '../../support/test-database.js';
import { objectStoreSuite } from '../../suites/object-store.suite.js';
import { openTestStore } from './open-test-store.js';

const MOMENT_MS = 20;

interface Variant {
  readonly listen: boolean;
  /** Writes go through another process than reads, so every change arrives through the feed. */
  readonly foreign: boolean;
}

const variants: Record<string, Variant> = {
  'CachedStore over PostgresStore': { listen: true, foreign: false },
  'CachedStore that listens to what others write': { listen: true, foreign: true },
  'CachedStore that polls for what others write': { listen: false, foreign: true },
};

const isAnswered = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

for (const [name, { listen, foreign }] of Object.entries(variants)) {
  objectStoreSuite(name, async () => {
    const database = await createTestDatabase();
    const inner = await openTestStore(database.url, { listen });
    const writer = foreign ? await openTestStore(database.url, { listen }) : inner;
    const scheduler = new ManualScheduler();
    const cached = await openCachedStore(inner, { scheduler });
    /** The clock moves past the moment whose commits are read together. */
    const written = async <T>(writing: Promise<T>): Promise<T> => {
      const result = await writing;
      if (foreign) await scheduler.pass(MOMENT_MS);
      return result;
    };
    const store: ObjectStore = {
      suggest: (key) => cached.suggest(key),
      get: (key, consistency) => cached.get(key, consistency),
      list: (range, options) => cached.list(range, options),
      watch: (range, options, receive) => cached.watch(range, options, receive),
      currentRevision: () => cached.currentRevision(),
      ageOf: (revision) => cached.ageOf(revision),
      create: (key, value, options) => written((foreign ? writer : cached).create(key, value, options)),
      update: (current, value, options) => written((foreign ? writer : cached).update(current, value, options)),
      delete: (current, options) => written((foreign ? writer : cached).delete(current, options)),
    };
    return {
      store,
      compact: async (revision) => {
        await inner.compactor.compact(revision);
        // A cache forgets no further than it has followed, so it catches up first.
        await cached.currentRevision();
        cached.forgetHistory(revision);
      },
      pass: async (ms) => {
        await scheduler.pass(ms);
        // The database, which has no part in this clock, may seem to have been silent for so long.
        await eventually(() => isAnswered(cached.currentRevision()));
      },
      close: async () => {
        cached.close();
        if (foreign) await writer.close();
        await inner.close();
        await database.drop();
      },
    };
  });
}

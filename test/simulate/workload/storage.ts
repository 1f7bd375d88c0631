import type { CachedStoreOptions } from '../../../src/storage/watch-cache/cached-store.js';
import type { PostgresStoreOptions } from '../../../src/storage/postgres/open-postgres-store.js';
import type { Random } from '../../fuzz/random.js';
import type { Context } from './context.js';
import { Lister } from './lister.js';
import { SimulatedServer } from './simulated-server.js';
import { SqlWriter } from './sql-writer.js';
import { requireComplete, Watcher } from './watcher.js';
import type { Workload } from './workload.js';
import { Writer } from './writer.js';

/** Starts writers, watchers and listers on the stores of one to three servers. */
export function beginStorage(context: Context, random: Random): Workload {
  const { world, servers, cluster, writes } = context;
  const [store, cache] = [storeOptions(random), cacheOptions(random)];
  for (let i = 0; i < 1 + random.below(3); i++) servers.push(new SimulatedServer({ world, name: `server-${i}`, store, cache }));
  const writing = { thinkMs: random.pick([50, 300, 1_500]), parallel: 1 + random.below(3), padding: random.pick([1, 200]) };
  for (let i = 0; i < 1 + random.below(3); i++) new Writer(context, `writer-${i}`, writing);
  for (let i = 0; i < random.below(3); i++) new SqlWriter(context, `sql-writer-${i}`, writing.thinkMs);
  const watchers = Array.from({ length: 1 + random.below(4) }, (_, i) => new Watcher(context, `watcher-${i}`));
  for (let i = 0; i < 1 + random.below(2); i++) new Lister(context, `lister-${i}`);
  const finish = () => {
    const { head } = cluster.contents;
    writes.finish(head);
    requireComplete(watchers, head.to);
  };
  return { candidates: [], restMs: 25_000, finish };
}

export function storeOptions(random: Random): PostgresStoreOptions {
  return {
    listen: random.chance(0.8),
    compaction: random.chance(0.5),
    compactionIntervalMs: random.pick([4_000, 60_000]),
    ...(random.chance(0.5) && { rotationIntervalMs: 1_500 }),
    batchItems: random.pick([1, 3, 1_000]),
    maxChanges: random.pick([30, 200_000]),
    historyBytes: random.pick([2_000, 64_000_000]),
    page: { rows: random.pick([2, 1_000]), bytes: random.pick([300, 2_000_000]) },
  };
}

export function cacheOptions(random: Random): CachedStoreOptions {
  return { historyMs: random.pick([2_000, 90_000]), historyBytes: random.pick([2_000, 64_000_000]) };
}

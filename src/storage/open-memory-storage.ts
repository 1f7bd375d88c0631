import type { MetricRegistry } from '../telemetry/metrics/metric-registry.js';
import { CreatorTags } from './requester.js';
import { MemoryAnnouncements, MemoryTerms } from './memory/memory-terms.js';
import { MemoryStore } from './memory/memory-store.js';
import { objectPath } from './object-path.js';
import { type LapseChange, LEASE_RESOURCE } from './term-change.js';
import type { Scheduler } from '../time/scheduler.js';
import { StorageMetrics } from './storage-metrics.js';
import type { Storage } from './storage.js';
import type { CachedStore } from './watch-cache/cached-store.js';
import { openCachedStore } from './watch-cache/open-cached-store.js';

export interface MemoryStorageOptions {
  readonly scheduler: Scheduler;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  readonly metrics: MetricRegistry;
  /** Awaited before each write and each read of changes, as a slow database would let them wait. */
  readonly delay: () => Promise<void> | undefined;
}

/** A Storage in memory, and the stores that it consists of. */
export interface MemoryStorage extends Storage {
  readonly memory: MemoryStore;
  readonly cache: CachedStore;
  readonly terms: MemoryTerms;
  readonly announcements: MemoryAnnouncements;
}

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** Opens a store in memory behind the same cache as a database, with terms and lapses. Nothing of it outlives the process. */
export async function openMemoryStorage({ scheduler, now, metrics, delay }: MemoryStorageOptions): Promise<MemoryStorage> {
  const announcements = new MemoryAnnouncements(now);
  const terms = new MemoryTerms(now, (id, term) => announcements.add(id, term));
  const memory = new MemoryStore({ scheduler, terms, delay });
  const counted = new StorageMetrics(metrics);
  const objects = await openCachedStore(memory, {
    scheduler,
    quota: { maxBytes: MAX_BYTES, maxEventBytes: MAX_EVENT_BYTES },
    observer: counted.cache,
  });
  counted.sample(undefined, objects);
  const change = (changes: readonly LapseChange[]): Promise<Set<string>> => {
    const changed = changes.filter((each) => {
      const lease = { resource: LEASE_RESOURCE, namespace: each.namespace, name: each.lease };
      return memory.changeTerm(lease, each.lease_revision, (next) => terms.lapse(each, next));
    });
    return Promise.resolve(new Set(changed.map(({ namespace, lease: name }) => objectPath({ resource: LEASE_RESOURCE, namespace, name }))));
  };
  const list = (): Promise<Set<string>> =>
    Promise.resolve(new Set([...terms.open].filter(([, { columns }]) => columns.lapsed).map(([path]) => path)));
  return {
    memory,
    cache: objects,
    terms,
    announcements,
    objects,
    creators: new CreatorTags(CreatorTags.newKey()),
    lapses: { announcements, change, list, clock: () => Promise.resolve(now()) },
    states: undefined,
    healthChecks: [{ name: 'ping', on: ['healthz', 'livez', 'readyz'], check: () => Promise.resolve() }],
    sizes: (resource) => objects.sizeOf(resource),
    place: 'memory',
    schema: '',
    probe: () => Promise.resolve(),
    close: () => Promise.resolve(objects.close()),
  };
}

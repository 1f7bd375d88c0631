import { exponentialBuckets } from '../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../telemetry/metrics/metric-registry.js';
import type { StoreObserver } from './postgres/open-postgres-store.js';
import type { PostgresStore } from './postgres/postgres-store.js';
import type { CacheObserver, CachedStore } from './watch-cache/cached-store.js';
import { type QuotaRefusal, QUOTA_KINDS, QUOTA_SCOPES } from './watch-cache/quota.js';
import type { Ledgers, Usage } from './watch-cache/state/usage.js';

const SECONDS = [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8, 16];

/** Metrics of the database and of the cache in front of it. */
export class StorageMetrics {
  readonly store: StoreObserver;
  readonly cache: CacheObserver;
  readonly #registry: MetricRegistry;
  readonly #quota: QuotaMetrics;

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
    this.store = { ...commits(registry), ...terms(registry), ...compaction(registry), ...lineage(registry) };
    this.#quota = new QuotaMetrics(registry);
    this.cache = { ...feed(registry), quotaExceeded: (refusal) => this.#quota.refused(refusal) };
  }

  /** Adds gauges that are sampled from the two whenever metrics are read. There is no database where the objects are in memory. */
  sample(database: PostgresStore | undefined, cache: CachedStore): void {
    if (database) sampleDatabase(this.#registry, database);
    if (database) sampleLineage(this.#registry, database);
    sampleCache(this.#registry, cache);
    sampleObjects(this.#registry, cache);
    this.#quota.sample(() => cache.ledgers);
  }
}

function commits(registry: MetricRegistry): StoreObserver {
  const batches = registry.counter({
    name: 'coordination_batches_total',
    help: 'Batches of writes by result; unclear: the connection was lost before the result arrived.',
    labels: ['outcome'],
  });
  const [committed, failed, unclear] = [batches.with('committed'), batches.with('failed'), batches.with('unclear')];
  const writes = registry
    .histogram({ name: 'coordination_batch_writes', help: 'Writes in a committed batch.', buckets: exponentialBuckets(1, 2, 11) })
    .with();
  const refused = registry
    .counter({ name: 'coordination_refused_writes_total', help: 'Writes in committed batches that conflicted with an earlier write.' })
    .with();
  const wait = registry
    .histogram({
      name: 'coordination_batch_wait_seconds',
      help: 'How long the oldest write of a batch waited for the batch to be sent.',
      buckets: SECONDS,
    })
    .with();
  const duration = registry
    .histogram({ name: 'coordination_commit_duration_seconds', help: 'From sending a batch until it is committed.', buckets: SECONDS })
    .with();
  const endedHolders = registry
    .counter({
      name: 'coordination_ended_sql_clients_total',
      help: 'Sessions and statements of others that this replica ended because all writes waited for them for more than a second.',
    })
    .with();
  return {
    committed(batch) {
      committed.inc();
      writes.observe(batch.writes);
      refused.inc(batch.refused);
      wait.observe(batch.waitedMs / 1000);
      duration.observe(batch.tookMs / 1000);
    },
    failed: (outcome) => (outcome === 'failed' ? failed : unclear).inc(),
    endedHolder: () => endedHolders.inc(),
  };
}

function terms(registry: MetricRegistry): StoreObserver {
  const begun = registry
    .counter({ name: 'coordination_terms_begun_total', help: 'Terms of leases that began with writes of this replica.' })
    .with();
  const ended = registry.counter({
    name: 'coordination_terms_ended_total',
    help: 'Terms of leases that ended with writes of this replica, by reason.',
    labels: ['reason'],
  });
  for (const reason of ['Released', 'Forced', 'Replaced', 'HandedOver', 'Expired', 'Deleted', 'Unknown']) ended.with(reason);
  return { termBegun: () => begun.inc(), termEnded: (reason) => ended.with(reason).inc() };
}

function compaction(registry: MetricRegistry): StoreObserver {
  const turns = registry.counter({
    name: 'coordination_maintenance_total',
    help: 'Maintenance runs on the revision log by result; elsewhere: another replica does it, busy: postponed because of a long-running read.',
    labels: ['outcome'],
  });
  for (const outcome of ['done', 'elsewhere', 'busy', 'failed']) turns.with(outcome);
  const revision = registry
    .gauge({ name: 'coordination_compacted_revision', help: 'Revision up to which this replica has dropped history.' })
    .with();
  const ofMaintenance = (name: string, what: string) =>
    registry.gauge({ name, help: `${what} at the last maintenance run; 0 on replicas that leave it to another one.` }).with();
  const oldest = ofMaintenance(
    'coordination_database_oldest_transaction_seconds',
    'Age of the oldest transaction that keeps old versions of rows,',
  );
  const clocks = registry
    .gauge({
      name: 'coordination_database_clock_ahead_seconds',
      help: "How far the database's clock is ahead of this replica's, measured about once a minute; two replicas' clocks differ by the difference.",
    })
    .with();
  const terms = ofMaintenance('coordination_kept_terms', 'Ended terms of leases in the database');
  const states = ofMaintenance('coordination_states', "Terraform's states in the database");
  const stateBytes = ofMaintenance('coordination_state_bytes', "Size of all versions of Terraform's states");
  const largestNamespace = ofMaintenance(
    'coordination_state_bytes_of_largest_namespace',
    'The part of coordination_state_bytes that the namespace with the most has',
  );
  return {
    maintained: (outcome) => {
      turns.with(outcome).inc();
      if (outcome === 'elsewhere') for (const gauge of [oldest, terms, states, stateBytes, largestNamespace]) gauge.set(0);
    },
    compacted: (to) => revision.set(to),
    keptTerms: (count) => terms.set(count),
    countedStates: (totals) => {
      states.set(totals.states);
      stateBytes.set(totals.bytes);
      largestNamespace.set(totals.largestNamespace);
    },
    sawOldestTransaction: (seconds) => oldest.set(seconds),
    comparedClocks: (seconds) => clocks.set(seconds),
  };
}

function lineage(registry: MetricRegistry): StoreObserver {
  const changes = registry.counter({
    name: 'coordination_lineage_changes_total',
    help: 'How often the database turned out to be restarted or replaced: continued with its history, lost something that was seen here, so the cache loaded anew; moved: a connection led to another copy.',
    labels: ['past'],
  });
  for (const past of ['continued', 'lost', 'moved']) changes.with(past);
  return { lineageChanged: (past) => changes.with(past).inc() };
}

function feed(registry: MetricRegistry): CacheObserver {
  const events = registry.counter({
    name: 'coordination_cache_events_total',
    help: 'Changes applied to the cache: own are writes of this replica, others come from the feed.',
    labels: ['origin'],
  });
  const [own, others] = [events.with('own'), events.with('feed')];
  const loads = registry.counter({
    name: 'coordination_cache_loads_total',
    help: 'Snapshots that the cache was loaded from; watches end at one that is not continuous.',
    labels: ['continuous'],
  });
  const failures = registry.counter({ name: 'coordination_feed_failures_total', help: 'Reads of changes that failed.' }).with();
  const started = registry.counter({ name: 'coordination_watches_started_total', help: 'Watches started on the cache.' }).with();
  const ended = registry.counter({
    name: 'coordination_watches_ended_total',
    help: 'Ended watches of the cache by reason; slow: the backlog exceeded its budget.',
    labels: ['reason'],
  });
  for (const reason of ['client', 'error', 'slow', 'receiver', 'shutdown']) ended.with(reason);
  return {
    applied: (count, origin) => (origin === 'own' ? own : others).inc(count),
    loaded: (_objects, continuous) => loads.with(String(continuous)).inc(),
    readFailed: () => failures.inc(),
    watchStarted: () => started.inc(),
    watchEnded: (reason) => ended.with(reason).inc(),
  };
}

function sampleDatabase(registry: MetricRegistry, database: PostgresStore): void {
  const queue = { name: 'coordination_queued_writes', help: 'Writes waiting for a batch.' };
  registry.gauge(queue, (gauge) => gauge.with().set(database.queuedWrites));
  const connections = {
    name: 'coordination_database_connections',
    help: 'Connections of the pools for reads by state.',
    labels: ['state'],
  };
  registry.gauge(connections, (gauge) => {
    const { open, idle } = database.connections;
    gauge.with('idle').set(idle);
    gauge.with('busy').set(open - idle);
  });
  const waiting = { name: 'coordination_database_waiting_reads', help: 'Reads waiting for a connection.' };
  registry.gauge(waiting, (gauge) => gauge.with().set(database.connections.waiting));
  const listening = {
    name: 'coordination_database_listening',
    help: 'Whether notifications of commits arrive; otherwise, changes are polled for.',
  };
  registry.gauge(listening, (gauge) => gauge.with().set(database.listening ? 1 : 0));
}

function sampleLineage(registry: MetricRegistry, { lineage: now }: PostgresStore): void {
  const start = { name: 'coordination_lineage_start_revision', help: 'Revision at which the current lineage began.' };
  registry.gauge(start, (gauge) => gauge.with().set(now.start));
  const gaps = {
    name: 'coordination_lineage_gaps',
    help: 'Gaps in the retained history: ranges of revisions that were never assigned.',
  };
  registry.gauge(gaps, (gauge) => gauge.with().set(now.gaps.count));
  const found = {
    name: 'coordination_lineage_found_timestamp_seconds',
    help: 'When this replica last identified the database: at its start, and each time the database was restarted or replaced.',
  };
  registry.gauge(found, (gauge) => gauge.with().set(now.foundAt / 1000));
}

function sampleCache(registry: MetricRegistry, cache: CachedStore): void {
  const value = (name: string, help: string, read: () => number): void => {
    registry.gauge({ name, help }, (gauge) => gauge.with().set(read()));
  };
  value('coordination_feed_lag_seconds', 'Time since changes were last read from the database.', () => cache.health().lagMs / 1000);
  value('coordination_feed_connected', 'Whether the last read of changes succeeded.', () => (cache.health().connected ? 1 : 0));
  value('coordination_cache_revision', 'Revision of the cache.', () => cache.health().revision);
  value('coordination_cache_bytes', 'Size of all current objects.', () => cache.statistics().bytes);
  value('coordination_cache_window_bytes', 'Size of the history from which watches can start.', () => cache.statistics().historyBytes);
  value('coordination_cache_oldest_revision', 'Oldest revision from which a watch can start.', () => cache.statistics().oldestRevision);
  const watchers = {
    name: 'coordination_watchers',
    help: 'Open watches whose unsent bytes use at most this fraction of their budget.',
    labels: ['budget'],
  };
  registry.gauge(watchers, (gauge) => {
    for (const [part, count] of cache.statistics().watchersByBudget) gauge.with(String(part)).set(count);
  });
}

/** Under upstream's name. */
function sampleObjects(registry: MetricRegistry, cache: CachedStore): void {
  const objects = { name: 'apiserver_resource_objects', help: 'Stored objects by resource.', labels: ['group', 'resource'] };
  registry.gauge(objects, (gauge) => {
    for (const [resource, count] of cache.statistics().byResource) gauge.with(...groupAndResource(resource)).set(count);
  });
}

function groupAndResource(name: string): [string, string] {
  const dot = name.indexOf('.');
  return dot < 0 ? ['', name] : [name.slice(dot + 1), name.slice(0, dot)];
}

const MOST_NAMES = 1000;

/** Metrics of the room for objects: how much is used, who has the most of it, and what was refused. */
class QuotaMetrics {
  readonly #registry: MetricRegistry;
  readonly #refusals;
  /** The names of users who were refused, by what the uids of their objects begin with. */
  readonly #names = new Map<string, string>();

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
    this.#refusals = registry.counter({
      name: 'coordination_quota_refusals_total',
      help: 'Writes refused because there is no room: in all, or in the share of a namespace or user.',
      labels: ['kind', 'scope'],
    });
    for (const kind of QUOTA_KINDS) for (const scope of QUOTA_SCOPES) this.#refusals.with(kind, scope);
  }

  refused({ kind, scope, creator, user }: QuotaRefusal): void {
    this.#refusals.with(kind, scope).inc();
    if (scope !== 'user' || user === undefined) return;
    const [first] = this.#names.keys();
    if (this.#names.size >= MOST_NAMES && first !== undefined) this.#names.delete(first);
    this.#names.set(creator, user);
  }

  sample(ledgers: () => Ledgers): void {
    const used = { name: 'coordination_quota_bytes', help: 'Size of all objects, each at least 1 KiB, by kind.', labels: ['kind'] };
    this.#registry.gauge(used, (gauge) => {
      for (const kind of QUOTA_KINDS) gauge.with(kind).set(ledgers()[kind].total.bytes);
    });
    const largest = {
      name: 'coordination_quota_largest_bytes',
      help: 'The part of coordination_quota_bytes that one namespace, and one user, has: whoever has the most. A user is named once refused, and until then by what the uids of the objects begin with.',
      labels: ['kind', 'scope', 'owner'],
    };
    this.#registry.gauge(largest, (gauge) => {
      gauge.clear();
      for (const kind of QUOTA_KINDS) {
        const { namespaces, creators } = ledgers()[kind];
        const [namespace, inNamespace] = largestOf(namespaces);
        const [creator, byCreator] = largestOf(creators);
        if (namespace !== '') gauge.with(kind, 'namespace', namespace).set(inNamespace);
        if (creator !== '') gauge.with(kind, 'user', this.#names.get(creator) ?? creator).set(byCreator);
      }
    });
  }
}

function largestOf(shares: ReadonlyMap<string, Usage>): [owner: string, bytes: number] {
  let largest: [string, number] = ['', 0];
  for (const [owner, { bytes }] of shares) if (bytes > largest[1]) largest = [owner, bytes];
  return largest;
}

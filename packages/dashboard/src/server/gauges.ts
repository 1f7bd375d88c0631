import { type Metrics, meanOf, sumOf } from './parse-metrics.js';

export interface Gauge {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const mean = (value: number): string => value.toFixed(1);
const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)} ms`;
const size = (bytes: number): string => (bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`);

/** The server's health by its metrics; metrics that another kind of server lacks are left out. */
export function readGauges(metrics: Metrics, before: Metrics | undefined): Gauge[] {
  const watches = sumOf(metrics, 'apiserver_longrunning_requests', { verb: 'WATCH' });
  const gauges: readonly (readonly [name: string, value: number | undefined, show: (value: number) => string, meaning: string])[] = [
    ['Watches', watches, count, 'open'],
    ['Connections', sumOf(metrics, 'coordination_connections'), count, 'open'],
    ['Commit', meanOf(metrics, before, 'coordination_commit_duration_seconds'), milliseconds, 'mean time of a batch'],
    ['Batch', meanOf(metrics, before, 'coordination_batch_writes'), mean, 'mean writes in a commit'],
    ['Queued writes', sumOf(metrics, 'coordination_queued_writes'), count, 'wait for their batch'],
    ['Feed lag', sumOf(metrics, 'coordination_feed_lag_seconds'), milliseconds, 'since the last read'],
    ['Revision', sumOf(metrics, 'coordination_cache_revision'), count, 'of the cache'],
    ['Leases', sumOf(metrics, 'apiserver_resource_objects', { group: 'coordination.k8s.io', resource: 'leases' }), count, 'stored'],
    ['Objects', sumOf(metrics, 'coordination_cache_bytes'), size, 'of all current objects'],
    ['Memory', sumOf(metrics, 'process_resident_memory_bytes'), size, 'of the process'],
  ];
  return gauges.flatMap(([name, value, show, meaning]) => (value === undefined ? [] : [{ name, value: show(value), meaning }]));
}

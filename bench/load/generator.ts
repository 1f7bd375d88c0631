import type { Figures } from '../measure/figures.js';

/** Where a load goes. */
export interface Target {
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
  readonly http1?: boolean;
}

export interface RenewLoad {
  /** Each has a lease of its own. */
  readonly clients: number;
  /** Each renews once in so many seconds, whatever the answers take, and latency counts from when it meant to; absent: as fast as possible. */
  readonly everySeconds?: number;
  readonly seconds: number;
}

export interface WatchLoad extends RenewLoad {
  readonly watchers: number;
}

export interface ListLoad {
  /** Made before where they are missing. */
  readonly objects: number;
  readonly clients: number;
  /** 0: whole lists. */
  readonly limit: number;
  /** More of the query, such as `resourceVersion=0`. */
  readonly query?: string;
  readonly seconds: number;
}

/** Puts load on a server and tells what it saw: rates, `p50 ms`, `p99 ms`, `errors`. Its leases are called as `leaseName` says. */
export interface LoadGenerator {
  readonly name: string;
  /** `renewals/s` */
  renew(target: Target, load: RenewLoad): Promise<Figures>;
  /** `renewals/s`, `events/s`, `p50 ms` and `p99 ms` from sending a renewal to its event, and `late`: events that had not come two seconds after the end. */
  watch(target: Target, load: WatchLoad): Promise<Figures>;
  /** `lists/s` or `pages/s` */
  list(target: Target, load: ListLoad): Promise<Figures>;
}

export function leaseName(index: number): string {
  return `node-${String(index).padStart(6, '0')}`;
}

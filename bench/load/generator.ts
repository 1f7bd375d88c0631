import type { Figures } from '../measure/figures.js';

/** The target of a load. */
export interface Target {
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
  readonly http1?: boolean;
}

export interface RenewLoad {
  /** Each client has its own lease. */
  readonly clients: number;
  /** Each client renews every so many seconds; latency counts from the intended time. Absent: as fast as possible. */
  readonly everySeconds?: number;
  readonly seconds: number;
  /** TCP connections that the clients share; absent: 16. */
  readonly connections?: number;
}

/** Clients that share a connection take turns on it. */
export const DEFAULT_CONNECTIONS = 16;

export interface WatchLoad extends RenewLoad {
  readonly watchers: number;
}

export interface ListLoad {
  /** Created beforehand where they are missing. */
  readonly objects: number;
  readonly clients: number;
  /** 0: whole lists. */
  readonly limit: number;
  /** Additional query parameters, such as `resourceVersion=0`. */
  readonly query?: string;
  readonly seconds: number;
}

/** Puts load on a server and reports figures: rates, `p50 ms`, `p99 ms`, `errors`. `leaseName` gives the names of its leases. */
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

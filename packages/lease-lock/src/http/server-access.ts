import type { Clock } from '../../../kube-client/src/clock.js';
import type { LeaseRequests } from './lease-requests.js';
import type { ServerTime } from './server-time.js';

/** What reaches the leases of one namespace. */
export interface ServerAccess {
  readonly namespace: string;
  readonly requests: LeaseRequests;
  readonly clock: Clock;
  readonly time: ServerTime;
  /** How long a place in the queue lasts without a renewal. */
  readonly ticketSeconds: number;
}

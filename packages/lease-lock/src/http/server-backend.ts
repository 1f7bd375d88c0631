import type { Clock } from '../../../kube-client/src/clock.js';
import type { Transport } from '../../../kube-client/src/transport.js';
import type { LeaseBackend } from '../backend.js';
import { NO_QUEUE } from '../no-queue.js';
import { SUSPEND_AWARE_CLOCK } from '../suspend-aware-clock.js';
import { type ServerAccess, LeaseRequests, ServerTime } from './lease-requests.js';
import { SlotLeases } from './slot-leases.js';
import { TICKET_SECONDS } from './queue/ticket.js';
import { WaitingQueue } from './queue/waiting-queue.js';

export interface ServerBackendOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly clock?: Clock;
  /** Seconds after which a contender that has crashed loses its place in the queue; 30 by default. */
  readonly ticketSeconds?: number;
  /** Called for failed renewals of a place in the queue, which are repeated. */
  readonly onError?: (error: unknown) => void;
}

/** Leases in an API server, over any transport. */
export function serverBackend(options: ServerBackendOptions): LeaseBackend {
  const { transport, clock = SUSPEND_AWARE_CLOCK, ticketSeconds = TICKET_SECONDS, onError = () => undefined } = options;
  const time = new ServerTime(clock);
  const access = (namespace: string): ServerAccess => {
    const requests = new LeaseRequests(transport, namespace, clock, time);
    return { namespace, requests, clock, time, ticketSeconds };
  };
  return {
    clock,
    namespace: options.namespace,
    claim: (claim) => new SlotLeases(access(claim.namespace), claim),
    line: (claim) => (claim.priority === undefined ? new WaitingQueue(access(claim.namespace), claim, onError) : NO_QUEUE),
  };
}

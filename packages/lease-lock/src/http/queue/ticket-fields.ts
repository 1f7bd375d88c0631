import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { versionOf } from '../lease-requests.js';

/** The place in the queue: the resourceVersion at which the ticket was created. */
export const ORDER = 'coordination-apiserver/order';
/** The name of the ticket ahead; empty in the first one. Absent until its owner knows. */
export const AFTER = 'coordination-apiserver/after';

/** How long a ticket lasts. Ten thousand contenders that wait are a thousand renewals a second. */
export const TICKET_SECONDS = 30;

/** How long the first ticket lasts, for which everybody waits. */
export const SECONDS_OF_FIRST = 6;

/** Longer numbers are no revisions. */
export const REVISION = /^\d{1,19}$/;

/** A ticket that was never changed lacks the annotation, and its version is that of its creation. */
export function orderOf(ticket: Lease): bigint {
  const order = annotation(ticket, ORDER);
  return order !== undefined && REVISION.test(order) ? BigInt(order) : versionOf(ticket);
}

export function ticketAhead(ticket: Lease): string | undefined {
  return annotation(ticket, AFTER);
}

export function annotation({ metadata }: Lease, key: string): string | undefined {
  const annotations = metadata['annotations'];
  return annotations?.[key];
}

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

/** Clocks of servers may differ by so much. */
const CLOCKS_DIFFER = 90_000;

/**
 * Whether a ticket is ahead of another one: by its order, which it says itself, unless the server created it long after the other one. Else whoever
 * may create tickets could always put another one in front.
 */
export function isAhead(ticket: Lease, other: { readonly order: bigint; readonly createdAt: number }): boolean {
  return orderOf(ticket) < other.order && !(createdAt(ticket) > other.createdAt + CLOCKS_DIFFER);
}

export function createdAt({ metadata }: Lease): number {
  return Date.parse(String(metadata['creationTimestamp']));
}

/** Whether somebody has removed it, though a finalizer, which whoever creates a ticket may add, keeps it. */
export function isRemoved({ metadata }: Lease): boolean {
  return metadata['deletionTimestamp'] !== undefined;
}

export function ticketAhead(ticket: Lease): string | undefined {
  return annotation(ticket, AFTER);
}

export function annotation({ metadata }: Lease, key: string): string | undefined {
  const annotations = metadata['annotations'];
  return annotations?.[key];
}

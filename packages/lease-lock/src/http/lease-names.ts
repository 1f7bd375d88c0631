import { createHash } from 'node:crypto';

/** On the leases of a semaphore, with which they can be watched together. */
const SLOT_LABEL = 'coordination-apiserver/slot-of';
/** On the same leases: how many slots there are, as their last holder was told. */
export const SLOTS_LABEL = 'coordination-apiserver/slots';
/** On the leases that form a queue: its tickets and its register. */
const QUEUE_LABEL = 'coordination-apiserver/queue-of';

const LONGEST_LABEL = 63;
const HASH_LENGTH = 12;

export interface LeaseNames {
  /** The queue's newest ticket is noted in this lease. */
  readonly register: string;
  readonly ticketPrefix: string;
  readonly slotLabel: Readonly<Record<string, string>>;
  readonly queueLabel: Readonly<Record<string, string>>;
}

/** The names and labels that belong to a lock of this name. */
export function leaseNames(lock: string): LeaseNames {
  return {
    register: `${lock}.queue`,
    ticketPrefix: `${lock}.ticket-`,
    slotLabel: { [SLOT_LABEL]: labelValue(lock) },
    queueLabel: { [QUEUE_LABEL]: labelValue(lock) },
  };
}

export function labelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** A label's value is shorter than a name may be. */
function labelValue(lock: string): string {
  if (lock.length <= LONGEST_LABEL) return lock;
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, HASH_LENGTH);
  return `${lock.slice(0, LONGEST_LABEL - HASH_LENGTH - 1)}-${hash}`;
}

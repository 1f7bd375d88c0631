import type { ListOptions } from './object-store.js';

/** The storage resource of leases, whose terms are recorded. */
export const LEASE_RESOURCE = 'leases.coordination.k8s.io';

/** The storage resource of terms: objects that the store itself writes, with the changes of leases that begin and end them. */
export const TERM_RESOURCE = 'leaseterms.history.coordination-apiserver.dev';

/**
 * Why a term ended. The writer knows of a release, by somebody else than the holder (Forced) too, of a deletion and a replacement; the database, whose clock decides, turns a replacement of a
 * holder whose time was over into Expired. Unknown: it was ended by a write that recorded no terms.
 */
export type TermEnd = 'Released' | 'Forced' | 'Replaced' | 'HandedOver' | 'Expired' | 'Deleted' | 'Unknown';

/** The term that a write ends, as the state before the write described it. */
export interface EndedTerm {
  readonly reason: Exclude<TermEnd, 'Expired' | 'Unknown'>;
  readonly holder: string;
  readonly durationSeconds?: number;
  /** The last renewal, by the holder's clock: a MicroTime. */
  readonly renewTime?: string;
  /** When the holder's time is over, in milliseconds; absent: never. */
  readonly expiresMs?: number;
}

/** The term that a write begins. Its fencing token is the revision of the write. */
interface BegunTerm {
  readonly holder: string;
  readonly durationSeconds?: number;
  readonly transitions?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a write of a lease changes about who holds it. The store records it in the same commit. */
export interface TermChange {
  readonly leaseUid: string;
  readonly ended?: EndedTerm;
  readonly begun?: BegunTerm;
}

/** What a lease's term is to become, if the lease still has this revision and the database's clock agrees. */
export interface LapseChange {
  readonly namespace: string;
  readonly lease: string;
  readonly lease_revision: number;
  /** When the holder's time is over; absent: never. */
  readonly expires?: string;
  readonly lapsed: boolean;
}

/** A lapse that is to be announced. */
export interface Announcement {
  /** The same for every try. */
  readonly id: string;
  /** The term as an object, as of the lapse. */
  readonly term: string;
  readonly attempts: number;
}

/** In characters, of up to four bytes each; an entry of an index has 2,700 bytes at most. */
const LONGEST_HOLDER = 600;
const LONGEST_LABELS = 4096;

/** A holder as terms name it: without U+0000, which PostgreSQL's text cannot have, and cut where it is longer than an index allows. */
export function termHolder(holder: string): string {
  const text =
    holder.length > LONGEST_HOLDER
      ? Array.from(holder.slice(0, 2 * LONGEST_HOLDER))
          .slice(0, LONGEST_HOLDER)
          .join('')
      : holder;
  // half a surrogate pair has no UTF-8
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\ufffd');
}

/** Labels as a term keeps them: none where they are too many. Keys are in the order of canonical JSON. */
export function termLabels(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  if (!labels) return undefined;
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(entries));
  return entries.length > 0 && text.length <= LONGEST_LABELS ? text : undefined;
}

/** What a server does with changes of terms besides recording them. */
export class TermUse {
  /** `watched`: somebody may watch terms, so their changes are kept for a while, as those of other resources are. */
  constructor(readonly watched: boolean) {}
}

/** Whether a list shows the newest terms first, which have the highest tokens: one of a lease's terms does. */
export function isNewestFirst({ equal, inKeyOrder }: Pick<ListOptions, 'equal' | 'inKeyOrder'>): boolean {
  return equal?.['spec.leaseName'] !== undefined && !inKeyOrder;
}

/** The token at the end of a term's name, or of the key after it; without one, more than any. */
export function tokenOf(name = ''): number {
  const [, digits] = /\.(\d{1,16})\0?$/.exec(name) ?? [];
  return Math.min(Number(digits ?? Infinity), Number.MAX_SAFE_INTEGER);
}

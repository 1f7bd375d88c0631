/** Records of what clients do and see; times are milliseconds since the start of the run. */

/** A state of an object. `id` names the write that made it; `prev` is the state that this write was based on. */
export interface Sighting {
  readonly id: string;
  /** `-` for a newly created object; undefined for objects of others, such as the elections'. */
  readonly prev: string | undefined;
  readonly revision: number;
}

export type WriteOutcome = 'acknowledged' | 'refused' | 'unclear';

export interface WriteRecord {
  readonly key: string;
  readonly kind: 'create' | 'update' | 'delete';
  readonly id: string;
  /** The state that it was based on; `-` if there was none and the previous state is unknown. */
  readonly prev: string;
  readonly server: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly outcome: WriteOutcome;
  readonly status: number;
  readonly revision: number | undefined;
}

/** A consistent read: GET or LIST without a resourceVersion. */
export interface ReadRecord {
  readonly server: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The state of each object covered by the read, or undefined if it was reported missing. */
  readonly states: ReadonlyMap<string, Sighting | undefined>;
}

export type WatchEntry =
  | { readonly at: number; readonly kind: 'list'; readonly revision: number; readonly items: ReadonlyMap<string, Sighting> }
  | {
      readonly at: number;
      readonly kind: 'event';
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly key: string;
      readonly state: Sighting;
    }
  | { readonly at: number; readonly kind: 'bookmark'; readonly revision: number }
  | { readonly at: number; readonly kind: 'resume'; readonly revision: number }
  | { readonly at: number; readonly kind: 'expired' };

export interface WatchLog {
  readonly name: string;
  readonly entries: readonly WatchEntry[];
}

/** A response of /readyz; status 0 means that there was none. */
export interface ReadinessSample {
  readonly server: number;
  readonly at: number;
  readonly status: number;
}

/** A period during which a node is known to have been a primary without interruption. */
export interface PrimaryTime {
  readonly node: string;
  readonly from: number;
  readonly until: number;
}

export interface Violation {
  readonly kind: string;
  readonly at: number;
  readonly text: string;
}

/** The name of the state after a deletion of `id`. */
export function deleted(id: string): string {
  return `D:${id}`;
}

/** The state that a deletion removed; undefined if the id is not a deletion's. */
export function deletedState(id: string): string | undefined {
  return id.startsWith('D:') ? id.slice(2) : undefined;
}

/** What clients have done and seen; times are milliseconds since the start of the run. */

/** A state of an object. `id` names the write that made it; `prev` the state that this write was made from. */
export interface Sighting {
  readonly id: string;
  /** `-` for an object that was made anew; undefined for objects of others, such as the elections'. */
  readonly prev: string | undefined;
  readonly revision: number;
}

export type WriteOutcome = 'acknowledged' | 'refused' | 'unclear';

export interface WriteRecord {
  readonly key: string;
  readonly kind: 'create' | 'update' | 'delete';
  readonly id: string;
  /** The state that it was made from; `-` where there was nothing, and nothing is known of what was there before. */
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
  /** For each object that it tells of: its state, or undefined where it said that there is none. */
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

/** An answer of /readyz; status 0 stands for none. */
export interface ReadinessSample {
  readonly server: number;
  readonly at: number;
  readonly status: number;
}

/** For how long a node is known to have been a primary without a break. */
export interface PrimaryTime {
  readonly node: string;
  readonly from: number;
  readonly until: number;
}

/** From the line that says that somebody leads to the one that says that he has lost, or to his death. */
export interface Reign {
  readonly holder: string;
  readonly from: number;
  readonly until: number;
  /** The resourceVersion of the acquiring write. */
  readonly token: number | undefined;
  readonly ended: 'lost' | 'killed' | 'running';
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

import type { StoredObject } from '../../object-store.js';

/** The initial state of a watch, or a part of it, in the order of paths. */
export interface InitialPage {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** The path of the last object that was looked at, if it is not the last page. */
  readonly through?: string;
  /** Reads the page after it, which is as new or newer, and resolves once the cache has reached its revision. Absent for the last page. */
  readonly next?: () => Promise<InitialPage>;
}

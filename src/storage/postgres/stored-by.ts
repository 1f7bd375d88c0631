import type { StoredObject, StoreEvent } from '../object-store.js';
import type { PendingWrite } from './pending-write.js';

/** The state that a write made with this revision; for a deletion the last state, with the deletion's revision. */
export function storedBy(write: PendingWrite, revision: number): StoredObject {
  const { key, value } = write;
  return { key, uid: value.uid, data: value.data, terminating: value.terminating, revision };
}

const TYPES = { A: 'ADDED', M: 'MODIFIED', D: 'DELETED' } as const;

/** The write as a change. The compare-and-set proved that `current` was the state before. */
export function eventOf(write: PendingWrite, object: StoredObject): StoreEvent {
  if (!write.current) return { type: 'ADDED', revision: object.revision, object };
  return { type: TYPES[write.kind], revision: object.revision, object, previous: write.current };
}

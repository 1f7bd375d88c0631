import type { Predicate, StoredObject, StoreEvent } from './object-store.js';

/**
 * A change as seen by a watcher with this predicate: an object that begins to match is ADDED, one that stops is DELETED with the content
 * that last matched and the revision of this change. Undefined if it matches neither before nor after.
 */
export function translateEvent(event: StoreEvent, predicate: Predicate | undefined): StoreEvent | undefined {
  if (!predicate) return event;
  const before = event.previous !== undefined && predicate(event.previous);
  const after = event.type !== 'DELETED' && predicate(event.object);
  if (after) return before || event.type === 'ADDED' ? event : entering(event);
  if (!before) return undefined;
  return event.type === 'DELETED' ? event : leaving(event);
}

function entering(event: StoreEvent): StoreEvent {
  return { type: 'ADDED', revision: event.revision, object: event.object };
}

/** One translation for all watchers whose selection the object leaves, so that it is encoded once. */
const departures = new WeakMap<StoreEvent, StoreEvent>();

function leaving(event: StoreEvent): StoreEvent {
  let departure = departures.get(event);
  if (!departure) {
    const previous = event.previous ?? event.object;
    departure = { type: 'DELETED', revision: event.revision, object: withRevision(previous, event.revision), previous };
    departures.set(event, departure);
  }
  return departure;
}

/** The same content under another revision. */
export function withRevision(object: StoredObject, revision: number): StoredObject {
  return { key: object.key, uid: object.uid, data: object.data, terminating: object.terminating, revision };
}

import { type ReadRecord, type Sighting, type WatchEntry, type WriteOutcome, type WriteRecord, deleted } from '../history.js';

/** Builders of histories: unless specified otherwise, write `n` is sent at 10 n, answered at 10 n + 5 and gets revision n. */
export function write(n: number, id: string, prev: string, rest: Partial<WriteRecord> = {}): WriteRecord {
  const outcome: WriteOutcome = rest.outcome ?? 'acknowledged';
  const revision = outcome === 'acknowledged' ? n : undefined;
  const kind = prev === '-' ? 'create' : 'update';
  return { key: 'a', kind, id, prev, server: 1, sentAt: 10 * n, answeredAt: 10 * n + 5, outcome, status: 200, revision, ...rest };
}

export function deletion(n: number, of: string): WriteRecord {
  return write(n, deleted(of), of, { kind: 'delete', revision: undefined });
}

export function state(id: string, prev: string | undefined, revision: number): Sighting {
  return { id, prev, revision };
}

export function read(sentAt: number, seen: Sighting | undefined, key = 'a'): ReadRecord {
  return { server: 2, sentAt, answeredAt: sentAt + 1, states: new Map([[key, seen]]) };
}

export function event(type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string, seen: Sighting): WatchEntry {
  return { at: seen.revision, kind: 'event', type, key, state: seen };
}

export function list(revision: number, items: Readonly<Record<string, Sighting>> = {}): WatchEntry {
  return { at: revision, kind: 'list', revision, items: new Map(Object.entries(items)) };
}

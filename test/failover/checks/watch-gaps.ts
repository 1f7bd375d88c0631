import type { Sighting, Violation, WatchEntry, WatchLog } from '../history.js';

type Event = Extract<WatchEntry, { kind: 'event' }>;

/**
 * Replays a watcher's events: revisions grow, and every event follows from the state that the watcher had. This holds only if no change
 * between two lists was omitted, repeated, reordered, or part of a lost history.
 */
export function watchGaps({ name, entries }: WatchLog): Violation[] {
  const violations: Violation[] = [];
  const found = (at: number, text: string) => violations.push({ kind: 'watch', at, text: `${name}: ${text}` });
  let states = new Map<string, Sighting>();
  let last = 0;
  for (const entry of entries) {
    if (entry.kind === 'expired' || entry.kind === 'resume') continue;
    if (entry.kind === 'list') {
      if (entry.revision < last) found(entry.at, `a list at ${entry.revision} after version ${last}`);
      states = new Map(entry.items);
      last = entry.revision;
      continue;
    }
    const revision = entry.kind === 'event' ? entry.state.revision : entry.revision;
    if (entry.kind === 'event') {
      const fault = revision <= last ? `version ${revision} after ${last}` : faultOf(entry, states.get(entry.key));
      if (fault) found(entry.at, `${entry.type} ${entry.key}: ${fault}`);
      if (entry.type === 'DELETED') states.delete(entry.key);
      else states.set(entry.key, entry.state);
    } else if (revision < last) found(entry.at, `a bookmark at ${revision} after version ${last}`);
    last = Math.max(last, revision);
  }
  return violations;
}

function faultOf({ type, state: { id, prev, revision } }: Event, known: Sighting | undefined): string | undefined {
  if (type === 'ADDED') return known && `${id} at ${revision}, but ${known.id} of ${known.revision} was there`;
  if (!known) return `${id} at ${revision}, but there was nothing`;
  if (type === 'DELETED') return known.id === id ? undefined : `${id} at ${revision}, but ${known.id} was there`;
  return prev === undefined || prev === known.id ? undefined : `${id} at ${revision} follows ${prev}, but ${known.id} was seen last`;
}

/** Differences between a watcher's state and a consistent list after the last change. */
export function wrongPicture(
  name: string,
  at: number,
  picture: ReadonlyMap<string, Sighting>,
  truth: ReadonlyMap<string, Sighting>,
): Violation[] {
  const keys = new Set([...picture.keys(), ...truth.keys()]);
  return [...keys].flatMap((key) => {
    const [seen, real] = [picture.get(key), truth.get(key)];
    if (seen?.revision === real?.revision) return [];
    const text = `${name} believes in ${seen?.id ?? 'nothing'} of ${key} at ${seen?.revision ?? '-'}, but there is ${real?.id ?? 'nothing'}`;
    return [{ kind: 'watch', at, text: `${text} at ${real?.revision ?? '-'}` }];
  });
}

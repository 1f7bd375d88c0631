import { type ReadRecord, type Sighting, type Violation, type WatchLog, type WriteRecord, deleted } from '../history.js';

/** A revision belongs to one state of one object, for every observer and through every server. */
export function repeatedRevisions(writes: readonly WriteRecord[], reads: readonly ReadRecord[], watches: readonly WatchLog[]): Violation[] {
  const owners = new Map<number, string>();
  const violations: Violation[] = [];
  const see = (at: number, revision: number | undefined, key: string, id: string) => {
    if (revision === undefined) return;
    const state = `${id} of ${key}`;
    const owner = owners.get(revision);
    if (owner === undefined) owners.set(revision, state);
    else if (owner !== state) violations.push({ kind: 'revision twice', at, text: `${revision} is both ${owner} and ${state}` });
  };
  for (const { key, id, revision, answeredAt } of writes) see(answeredAt, revision, key, id);
  for (const { states, answeredAt } of reads) {
    for (const [key, state] of states) if (state) see(answeredAt, state.revision, key, stateName(state));
  }
  for (const { entries } of watches) {
    for (const entry of entries) {
      if (entry.kind !== 'event') continue;
      const { key, state, type, at } = entry;
      see(at, state.revision, key, type === 'DELETED' ? deleted(state.id) : stateName(state));
    }
  }
  return firstOfEach(violations);
}

/** Renewals of a lease held by an election do not change its id. */
function stateName({ id, prev, revision }: Sighting): string {
  return prev === undefined ? `the renewal at ${revision}` : id;
}

/** Each pair once: every watcher sees it, and reads repeat it. */
function firstOfEach(violations: readonly Violation[]): Violation[] {
  const byText = new Map(violations.map((violation) => [violation.text, violation]).reverse() as [string, Violation][]);
  return [...byText.values()].reverse();
}

/** If a write was sent after another acknowledged write was answered, it has the greater revision, even if one of them was lost. */
export function revisionsGoneBack(writes: readonly WriteRecord[]): Violation[] {
  const numbered = writes.filter(({ revision, outcome }) => outcome === 'acknowledged' && revision !== undefined);
  const byAnswer = [...numbered].sort((a, b) => a.answeredAt - b.answeredAt);
  const bySending = [...numbered].sort((a, b) => a.sentAt - b.sentAt);
  const violations: Violation[] = [];
  let greatest: WriteRecord | undefined;
  let next = 0;
  for (const write of bySending) {
    for (let earlier = byAnswer[next]; earlier && earlier.answeredAt < write.sentAt; earlier = byAnswer[++next]) {
      if ((earlier.revision ?? 0) > (greatest?.revision ?? 0)) greatest = earlier;
    }
    if (greatest && (write.revision ?? 0) <= (greatest.revision ?? 0)) {
      const text = `${write.id} of ${write.key} got ${write.revision} after ${greatest.id} of ${greatest.key} had got ${greatest.revision}`;
      violations.push({ kind: 'revision back', at: write.answeredAt, text });
    }
  }
  return violations;
}

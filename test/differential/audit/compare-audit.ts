import { type Difference, compareValues } from '../answers/compared-answer.js';
import type { KnownValues } from '../known-values.js';
import type { Question } from '../question.js';
import type { AuditLog } from './audit-log.js';
import { comparableEvents } from './comparable-event.js';

/** A question that both servers have answered alike, and the id under which they recorded it. */
export interface RecordedQuestion {
  readonly id: string;
  readonly place: number;
  readonly question: Question;
}

/** What one server has recorded and returned. */
export interface AuditSide {
  readonly log: AuditLog;
  readonly known: KnownValues;
}

/** The differences between the events of the same requests; paths begin with the stage. Calls back with them, and counts the events. */
export async function compareAudit(
  recorded: readonly RecordedQuestion[],
  upstream: AuditSide,
  ours: AuditSide,
  found: (recorded: RecordedQuestion, differences: readonly Difference[]) => void,
): Promise<number> {
  const ids = recorded.map(({ id }) => id);
  const [theirs, own] = await Promise.all([upstream.log.take(ids), ours.log.take(ids)]);
  let events = 0;
  for (const each of recorded) {
    const logged = theirs.get(each.id) ?? [];
    events += logged.length;
    const differences = compareValues(
      comparableEvents(each.question, logged, upstream.known),
      comparableEvents(each.question, own.get(each.id) ?? [], ours.known),
      'audit',
    );
    if (differences.length > 0) found(each, differences);
  }
  return events;
}

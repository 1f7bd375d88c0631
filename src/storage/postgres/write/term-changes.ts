import { microTime } from '../../../apimachinery/go/micro-time.js';
import type { TermChange } from '../../term-change.js';
import { termHolder, termLabels } from '../../term-change.js';
import type { ObjectKey } from '../../object-store.js';
import type { PendingWrite } from './pending-write.js';

/** How many revisions a change may take: one for the term that ends, and one for the term that begins. */
export const REVISIONS_OF_A_CHANGE = 2;

/** A change as `lease_change_terms` takes it, with how many revisions before that of the batch's last write its own write's is. */
interface TermChangeArgument {
  readonly ago: number;
  readonly namespace: string;
  readonly lease: string;
  readonly [field: string]: string | number | undefined;
}

/** The changes of terms that the writes of a batch lead to. */
export function termChanges(batch: readonly PendingWrite[]): TermChangeArgument[] {
  return batch.flatMap(({ key, term }, at) => (term ? [termChangeArgument(key, term, batch.length - at - 1)] : []));
}

function termChangeArgument({ namespace, name }: ObjectKey, { leaseUid, ended, begun }: TermChange, ago: number): TermChangeArgument {
  return {
    ago,
    namespace,
    lease: name,
    lease_uid: begun && leaseUid,
    reason: ended?.reason,
    held_by: ended && termHolder(ended.holder),
    held_duration: ended?.durationSeconds,
    ...timeArgument('renewed', ended?.renewTime),
    ...timeArgument('expires', ended?.expiresMs === undefined ? undefined : microTime(ended.expiresMs)),
    holder: begun && termHolder(begun.holder),
    duration: begun?.durationSeconds,
    transitions: begun?.transitions,
    labels: termLabels(begun?.labels),
  };
}

/** Of other times, the database finds out whether it can read them, which takes longer. */
function timeArgument(name: 'renewed' | 'expires', time: string | undefined): Readonly<Record<string, string>> {
  if (time === undefined) return {};
  return { [isPlainTime(time) ? `${name}_at` : name]: time };
}

const PLAIN_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Whether PostgreSQL can read it, and would write it just so. */
function isPlainTime(time: string): boolean {
  if (!PLAIN_TIME.test(time)) return false;
  // a day that the month does not have is the next month's here
  const ms = Date.parse(time);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(time.slice(0, 19));
}

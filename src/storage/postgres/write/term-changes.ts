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
    renewed: ended?.renewTime,
    expires: ended?.expiresMs === undefined ? undefined : new Date(ended.expiresMs).toISOString(),
    holder: begun && termHolder(begun.holder),
    duration: begun?.durationSeconds,
    transitions: begun?.transitions,
    labels: termLabels(begun?.labels),
  };
}

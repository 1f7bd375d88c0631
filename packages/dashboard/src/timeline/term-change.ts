import type { Sighting } from '../leases/observe-lease.js';
import type { Term } from '../terms/term.js';

/** Something that happened to a lease, for the list below the lanes. */
export interface Change {
  readonly at: number;
  readonly namespace: string;
  readonly name: string;
  readonly what: Sighting['what'] | 'handed-over' | 'replaced' | 'lapsed';
  readonly holder: string;
  /** The previous holder. */
  readonly before: string;
  /** How long nobody had renewed the lease, or held it. */
  readonly silentMs: number | undefined;
}

type Named = Pick<Change, 'namespace' | 'name'>;

/** The beginnings and ends of terms. An end at which the next term begins is one change. */
export function changesOf(lease: Named, terms: readonly Term[]): Change[] {
  return terms.flatMap((term, index) => {
    const [before, after] = [terms[index - 1], terms[index + 1]];
    return [...beginning(lease, before, term), ...lapse(lease, term), ...ending(lease, term, after)];
  });
}

function beginning({ namespace, name }: Named, before: Term | undefined, { holder, from }: Term): Change[] {
  const named = { namespace, name, at: from, holder };
  if (before?.to === undefined) return [{ ...named, what: 'acquired', before: '', silentMs: undefined }];
  const silentMs = before.reason === 'Expired' ? from - (before.renewedAt ?? before.to) : from - before.to;
  switch (before.reason) {
    case 'HandedOver':
      return [{ ...named, what: 'handed-over', before: before.holder, silentMs: undefined }];
    case 'Replaced':
      return [{ ...named, what: 'replaced', before: before.holder, silentMs: undefined }];
    case 'Released':
    case 'Forced':
    case 'Deleted':
      return [{ ...named, what: 'acquired', before: before.holder, silentMs }];
    default:
      return [{ ...named, what: 'taken-over', before: before.holder, silentMs: before.reason === 'Expired' ? silentMs : undefined }];
  }
}

/** A lapse after which the holder went on, or nobody came. */
function lapse({ namespace, name }: Named, { holder, lapsedAt, reason }: Term): Change[] {
  if (lapsedAt === undefined || reason === 'Expired') return [];
  return [{ namespace, name, at: lapsedAt, what: 'lapsed', holder, before: '', silentMs: undefined }];
}

function ending({ namespace, name }: Named, { holder, to, reason }: Term, after: Term | undefined): Change[] {
  if (to === undefined || after?.from === to) return [];
  const what = reason === 'Deleted' ? 'deleted' : reason === 'Released' ? 'released' : undefined;
  return what ? [{ namespace, name, at: to, what, holder: '', before: holder, silentMs: undefined }] : [];
}

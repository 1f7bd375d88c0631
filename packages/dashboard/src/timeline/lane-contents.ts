import type { Gap, ObservedLease } from '../leases/observed-lease.js';
import { takeoversOf } from '../terms/takeover.js';
import { type Term, seenTerms, withSeen } from '../terms/term.js';
import type { TermArchive } from '../terms/term-archive.js';
import { termMark } from '../terms/term-mark.js';
import type { Dot } from './dot-plot.js';

/** A lease's history, by the server or, without that, by this tab. */
export interface LaneContents {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly terms: readonly Term[];
  readonly gaps: readonly Gap[];
  /** Whether the terms are the server's. */
  readonly recorded: boolean;
}

/** `lease` undefined: it does not exist any more. */
export function laneContents(
  archive: TermArchive,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  lease: ObservedLease | undefined,
  now: number,
): LaneContents {
  const known = archive.want({ namespace, name, mark: termMark(lease, now) }, now);
  const seen = lease ? seenTerms(lease) : [];
  const terms = known ? withSeen(known.terms, seen) : seen;
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    terms,
    gaps: lease?.gaps ?? [],
    recorded: known !== undefined,
  };
}

/** How long leases had no leader when they changed hands. What was deleted or never recorded says nothing about that. */
export function takeoverDots(lanes: readonly LaneContents[]): Dot[] {
  return lanes.flatMap(({ terms, recorded }) =>
    !recorded
      ? []
      : takeoversOf(terms).flatMap(({ at, before: { reason }, withoutLeaderMs: ms }): Dot[] => {
          if (reason === 'Expired') return [{ at, ms, kind: 'expired' }];
          return reason === 'Released' || reason === 'HandedOver' ? [{ at, ms, kind: 'given' }] : [];
        }),
  );
}

/** Renewals that came late, as far as this tab has seen, and those that never came. */
export function gapDots(lanes: readonly LaneContents[]): Dot[] {
  return lanes.flatMap(({ terms, gaps }) => [
    ...gaps.map(({ from, to }): Dot => ({ at: to, ms: to - from, kind: 'late' })),
    ...terms.flatMap(({ reason, to, renewedAt }): Dot[] =>
      reason === 'Expired' && to !== undefined && renewedAt !== undefined ? [{ at: to, ms: to - renewedAt, kind: 'expired' }] : [],
    ),
  ]);
}

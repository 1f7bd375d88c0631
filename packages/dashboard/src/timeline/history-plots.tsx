import type { JSX } from 'preact';
import type { Gap, ObservedLease } from '../leases/observed-lease.js';
import type { TermArchive } from '../terms/term-archive.js';
import { type Term, seenTerms, takeoversOf, termMark, withSeen } from '../terms/term.js';
import { type Dot, DotPlot } from './dot-plot.js';

/** How long leases were without a leader, and how late renewals came. */
export function HistoryPlots({ lanes }: { readonly lanes: readonly LaneContents[] }): JSX.Element {
  return (
    <>
      <DotPlot
        row="takeovers"
        title="Without a leader"
        hint="From the last renewal of a holder whose time passed, or from the release, until the next holder"
        dots={takeoverDots(lanes)}
        empty={
          lanes.some(({ recorded }) => recorded)
            ? 'No takeover in this period followed a time without a leader.'
            : 'Only the history of terms shows this.'
        }
      />
      <DotPlot
        row="gaps"
        title="Late renewals"
        hint="More than two thirds of the duration without a renewal: those that this tab has seen, and those that ended a term. The length of other red bars is not known."
        dots={gapDots(lanes)}
        empty="No late renewal of known length in this period."
      />
    </>
  );
}

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
function takeoverDots(lanes: readonly LaneContents[]): Dot[] {
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
function gapDots(lanes: readonly LaneContents[]): Dot[] {
  return lanes.flatMap(({ terms, gaps }) => [
    ...gaps.map(({ from, to }): Dot => ({ at: to, ms: to - from, kind: 'late' })),
    ...terms.flatMap(({ reason, to, renewedAt }): Dot[] =>
      reason === 'Expired' && to !== undefined && renewedAt !== undefined ? [{ at: to, ms: to - renewedAt, kind: 'expired' }] : [],
    ),
  ]);
}

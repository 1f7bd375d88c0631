import type { JSX } from 'preact';
import { DotPlot } from './dot-plot.js';
import { type LaneContents, gapDots, takeoverDots } from './lane-contents.js';

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

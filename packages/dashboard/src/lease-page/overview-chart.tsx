import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { TICK_MS } from '../shell/use-tick.js';
import { type Dot, DotPlot } from '../timeline/dot-plot.js';
import { laneContents } from '../timeline/lane-contents.js';
import { TermLane } from '../timeline/term-lane.js';
import { TermTip } from '../timeline/term-tip.js';
import { TimeChart } from '../timeline/time-chart.js';
import { windowOf } from '../timeline/time-window.js';
import { renewalDots } from './renewal-dots.js';

/** The lease's holders, and the intervals between the renewals that this page has seen. */
export function OverviewChart({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { archive, clock } = useServices();
  const dots = useRef<readonly Dot[]>([]);
  const last = useRef(lease);
  dots.current = renewalDots(dots.current, last.current, lease);
  last.current = lease;
  const now = Math.floor(clock.now() / TICK_MS) * TICK_MS;
  const lane = laneContents(archive, lease, lease, now);
  // With every frame, something changes elsewhere.
  return useMemo(
    () => (
      <TimeChart
        window={windowOf('10m', now)}
        tip={(row, at, msPerPixel) => (row === lane.key ? <TermTip {...{ terms: lane.terms, at, msPerPixel, now }} /> : undefined)}
      >
        <>
          <TermLane row={lane.key} label={<span class="lane-label">Holder</span>} terms={lane.terms} gaps={lane.gaps} />
          <DotPlot
            row="renewals"
            title="Renewals"
            hint="Each renewal that this page has seen, by the time since the one before"
            dots={dots.current}
            empty="None seen yet since this page was opened."
          />
        </>
      </TimeChart>
    ),
    [lease, archive.known(lease), now],
  );
}

import type { JSX } from 'preact';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { showText } from '../text/show-text.js';
import { showClock, showDuration } from '../text/show-time.js';
import { segmentsOf } from './segments.js';

/** The period that a lane covers. */
const LANE_MS = 10 * 60_000;

/** The holders of a lease during the last ten minutes, as far as observed; hatched where no renewal came in time. */
export function Lane({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { clock } = useServices();
  const now = clock.now();
  const { held, gaps } = segmentsOf(lease, now - LANE_MS, now);
  const local = (ms: number): string => showClock(ms - clock.offsetMs);
  return (
    <div class="lane-block">
      <div
        class="lane"
        role="img"
        aria-label={laneInWords(
          held.map(({ holder }) => holder),
          gaps.length,
        )}
      >
        {held.map(({ holder, from, to, left, width, shade }) => (
          <span
            key={from}
            class={`lane-term lane-term-${shade}`}
            style={{ left: `${left}%`, width: `${width}%` }}
            title={`${showText(holder)}\n${local(from)} to ${to >= now ? 'now' : local(to)}`}
          >
            <span class="lane-name">{showText(holder, 60)}</span>
          </span>
        ))}
        {gaps.map(({ left, width, forMs }) => (
          <span
            key={left}
            class="lane-gap"
            style={{ left: `${left}%`, width: `${width}%` }}
            title={`No renewal for ${showDuration(forMs)}`}
          />
        ))}
      </div>
      <div class="lane-scale muted" aria-hidden="true">
        <span>10 m ago</span>
        <span>5 m</span>
        <span>now</span>
      </div>
    </div>
  );
}

function laneInWords(holders: readonly string[], gaps: number): string {
  const who = holders.length === 0 ? 'nobody' : holders.map((holder) => showText(holder, 60)).join(', then ');
  return `Held by ${who}${gaps === 0 ? '' : `; ${gaps} late ${gaps === 1 ? 'renewal' : 'renewals'}`}`;
}

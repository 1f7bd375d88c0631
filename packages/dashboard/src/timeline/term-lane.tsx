import type { JSX } from 'preact';
import type { Gap } from '../leases/observed-lease.js';
import type { Term } from '../terms/term.js';
import { showText } from '../text/show-text.js';
import { type Stretch, laneShapes, pathOf } from './lane-shapes.js';
import { useChart } from './time-chart.js';

/** What is known of a lease's holders. */
interface LaneContent {
  readonly terms: readonly Term[];
  /** Late renewals that this tab has seen. */
  readonly gaps: readonly Gap[];
}

interface TermLaneProps extends LaneContent {
  /** Identifies the lane to the chart. */
  readonly row: string;
  readonly label: JSX.Element;
}

const HEIGHT = 28;
/** Names need some space. */
const NAMED_WIDTH = 56;
const PIXELS_PER_LETTER = 7.4;

/** The holders of a lease over the period of the chart; hatched where no renewal came in time. */
export function TermLane({ row, label, terms, gaps }: TermLaneProps): JSX.Element {
  const { window, width } = useChart();
  const { unknown, held, late } = laneShapes(terms, gaps, window, width);
  const groups = new Map<Stretch['colour'], Stretch[]>();
  for (const stretch of held) groups.set(stretch.colour, [...(groups.get(stretch.colour) ?? []), stretch]);
  return (
    <div class="chart-row">
      {label}
      <div class="chart-track lane" data-row={row} role="img" aria-label={laneInWords(held, late.length)}>
        {unknown > 0 && <span class="lane-unknown" style={{ width: `${unknown}px` }} />}
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {[...groups].map(([colour, stretches]) => (
            <path key={colour} class={`lane-holder lane-holder-${colour}`} d={pathOf(stretches, 0, HEIGHT)} />
          ))}
          {late.length > 0 && <path class="lane-late" d={pathOf(late, HEIGHT - 7, 7)} />}
        </svg>
        {held.map(
          ({ x, width: space, holder }) =>
            holder !== '' &&
            space >= NAMED_WIDTH && (
              <span key={x} class="lane-name" style={{ left: `${x + 8}px`, maxWidth: `${space - 14}px` }}>
                {showText(holder, Math.floor((space - 14) / PIXELS_PER_LETTER))}
              </span>
            ),
        )}
      </div>
    </div>
  );
}

const MAX_NAMES = 6;

function laneInWords(held: readonly Stretch[], late: number): string {
  const names = held.slice(-MAX_NAMES).map(({ holder, terms }) => (holder === '' ? `${terms} short terms` : showText(holder, 60)));
  const more = held.length > MAX_NAMES ? `${held.length - MAX_NAMES} other stretches, then ` : '';
  const who = names.length === 0 ? 'nobody' : more + names.join(', then ');
  return `Held by ${who}${late === 0 ? '' : `; ${late} late ${late === 1 ? 'renewal' : 'renewals'}`}`;
}

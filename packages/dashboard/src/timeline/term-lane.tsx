import type { JSX } from 'preact';
import type { Gap } from '../leases/observed-lease.js';
import { type Term, showLapses, showReason } from '../terms/term.js';
import { showText } from '../text/show-text.js';
import { showDuration, showLocal, showMoment } from '../text/show-time.js';
import { type Stretch, laneShapes, pathOf, termAt } from './lane-shapes.js';
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

interface TermTipProps {
  readonly terms: readonly Term[];
  readonly at: number;
  readonly msPerPixel: number;
  readonly now: number;
}

/** What the pointer is on: a term, the time between two, or more terms than it can tell apart. */
export function TermTip({ terms, at, msPerPixel, now }: TermTipProps): JSX.Element {
  const time = (ms: number): string => showMoment(ms, now);
  const near = terms.filter(({ from, to = now }) => from < at + msPerPixel && to > at - msPerPixel);
  if (near.length > 3) {
    return (
      <>
        <strong>{near.length} terms</strong>
        <span>{time(at)} UTC: zoom in to see each</span>
      </>
    );
  }
  const term = termAt(terms, at);
  if (!term) {
    return (
      <>
        <strong>{at < (terms[0]?.from ?? Infinity) ? 'nothing known' : 'nobody'}</strong>
        <span>{time(at)} UTC</span>
      </>
    );
  }
  const { holder, token, from, beganEarlier = false, to, reason, lapsedAt, lapses } = term;
  return (
    <>
      <strong class="holder">{showText(holder, 80)}</strong>
      <span>
        {time(from)}
        {beganEarlier && ' or earlier,'} to {to === undefined ? 'now' : time(to)} UTC, {beganEarlier && 'at least '}
        {showDuration((to ?? now) - from)}
      </span>
      <SinceHere at={from} now={now} />
      {token !== undefined && <span>fencing token {showText(token)}</span>}
      {reason !== '' && <span>{showReason(reason)}</span>}
      {lapsedAt !== undefined && <span>{showLapses(lapses, `${time(lapsedAt)} UTC`)}</span>}
    </>
  );
}

function SinceHere({ at, now }: { readonly at: number; readonly now: number }): JSX.Element | null {
  const local = showLocal(at, now);
  return local === undefined ? null : <span>since {local}</span>;
}

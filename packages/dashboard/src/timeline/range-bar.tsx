import type { JSX } from 'preact';
import { type TimeWindow, type WindowChoice, pan, RANGES, zoom } from './time-window.js';

interface RangeBarProps {
  readonly choice: WindowChoice;
  readonly window: TimeWindow;
  readonly now: number;
  readonly onChoice: (choice: WindowChoice) => void;
}

/** The period of the timeline: ranges that end now, and steps in time and size. */
export function RangeBar({ choice, window, now, onChoice }: RangeBarProps): JSX.Element {
  const middle = (window.from + window.to) / 2;
  const steps: readonly (readonly [sign: string, label: string, next: () => TimeWindow])[] = [
    ['←', 'Earlier', () => pan(window, -0.5, now)],
    ['→', 'Later', () => pan(window, 0.5, now)],
    ['−', 'Zoom out', () => zoom(window, 2, middle)],
    ['+', 'Zoom in', () => zoom(window, 0.5, middle)],
  ];
  return (
    <div class="range-bar" role="group" aria-label="Period">
      <div class="segmented">
        {RANGES.map(([range, title]) => (
          <button key={range} type="button" aria-pressed={choice === range} onClick={() => onChoice(range)}>
            {title}
          </button>
        ))}
      </div>
      <div class="segmented">
        {steps.map(([sign, label, next]) => (
          <button
            key={label}
            type="button"
            aria-label={label}
            title={label}
            disabled={label === 'Later' && typeof choice === 'string'}
            onClick={() => onChoice(next())}
          >
            <span aria-hidden="true">{sign}</span>
          </button>
        ))}
      </div>
      {typeof choice !== 'string' && <span class="range-text muted">{periodText(window)}</span>}
    </div>
  );
}

function periodText({ from, to }: TimeWindow): string {
  const isLong = to - from > 48 * 3_600_000;
  const text = (ms: number): string =>
    new Date(ms).toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
      ...(!isLong && { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    });
  return `${text(from)} to ${text(to)} UTC`;
}

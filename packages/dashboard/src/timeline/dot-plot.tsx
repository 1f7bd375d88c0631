import type { JSX } from 'preact';
import { quantile } from '../terms/term.js';
import { showDuration } from '../text/show-time.js';
import { useChart } from './time-chart.js';

/** A duration at a moment. */
export interface Dot {
  readonly at: number;
  readonly ms: number;
  readonly kind: 'expired' | 'given' | 'renewed' | 'late';
}

interface DotPlotProps {
  readonly row: string;
  readonly title: string;
  readonly hint: string;
  readonly dots: readonly Dot[];
  /** What a plot without dots says. */
  readonly empty: string;
}

const HEIGHT = 104;
const PADDING = 8;
const RADIUS = 3;
const LEAST_MS = 100;
const LINES = [
  [1000, '1 s'],
  [10_000, '10 s'],
  [60_000, '1 m'],
  [600_000, '10 m'],
  [3_600_000, '1 h'],
  [86_400_000, '1 d'],
] as const;

/** Durations over the period of the chart, on a logarithmic scale. */
export function DotPlot({ row, title, hint, dots, empty }: DotPlotProps): JSX.Element {
  const { window, width } = useChart();
  const shown = dots.filter(({ at }) => at >= window.from && at <= window.to);
  const values = shown.map(({ ms }) => ms);
  const most = Math.max(15_000, ...values);
  const y = (ms: number): number => {
    const part = Math.log(Math.max(LEAST_MS, ms) / LEAST_MS) / Math.log(most / LEAST_MS);
    return HEIGHT - PADDING - part * (HEIGHT - 2 * PADDING);
  };
  const lines = values.length === 0 ? [] : LINES.filter(([ms]) => ms < most);
  const scale = width / (window.to - window.from);
  const circles = (kind: Dot['kind']): string =>
    shown
      .filter((dot) => dot.kind === kind)
      .map(({ at, ms }) => `M${((at - window.from) * scale - RADIUS).toFixed(1)} ${y(ms).toFixed(1)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`)
      .join('');
  return (
    <div class="chart-row chart-plot-row">
      <div class="plot-title">
        <h2 title={hint}>{title}</h2>
        {values.length > 0 && <Figures values={values} />}
        <Legend kinds={new Set(shown.map(({ kind }) => kind))} />
      </div>
      <div
        class="chart-track plot"
        data-row={row}
        role="img"
        aria-label={`${title}: ${values.length === 0 ? empty : figuresInWords(values)}`}
      >
        {values.length === 0 && <span class="plot-empty muted">{empty}</span>}
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {lines.map(([ms]) => (
            <path key={ms} class="plot-line" d={`M0 ${y(ms).toFixed(1)}h${width}`} />
          ))}
          {(['given', 'renewed', 'late', 'expired'] as const).map((kind) => (
            <path key={kind} class={`plot-dots plot-dots-${kind}`} d={circles(kind)} />
          ))}
          {/* Last, so that no dot covers it. */}
          {lines.map(([ms, text]) => (
            <text key={ms} class="plot-text" x="6" y={y(ms) - 3}>
              {text}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}

const KINDS: Readonly<Record<Dot['kind'], string>> = {
  expired: 'expired',
  given: 'released, handed over',
  renewed: 'in time',
  late: 'late',
};

function Legend({ kinds }: { readonly kinds: ReadonlySet<Dot['kind']> }): JSX.Element {
  return (
    <p class="plot-legend">
      {[...kinds].sort().map((kind) => (
        <span key={kind}>
          <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
            <circle class={`plot-dots plot-dots-${kind}`} cx="4" cy="4" r="3" />
          </svg>
          {KINDS[kind]}
        </span>
      ))}
    </p>
  );
}

function Figures({ values }: { readonly values: readonly number[] }): JSX.Element {
  return (
    <dl class="plot-figures">
      {figuresOf(values).map(([name, ms]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{showDuration(ms)}</dd>
        </div>
      ))}
    </dl>
  );
}

function figuresOf(values: readonly number[]): (readonly [name: string, ms: number])[] {
  return [
    ['median', quantile(values, 0.5) ?? 0],
    ['p99', quantile(values, 0.99) ?? 0],
    ['longest', quantile(values, 1) ?? 0],
  ];
}

function figuresInWords(values: readonly number[]): string {
  return `${values.length}; ${figuresOf(values)
    .map(([name, ms]) => `${name} ${showDuration(ms)}`)
    .join(', ')}`;
}

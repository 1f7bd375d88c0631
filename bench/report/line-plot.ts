import { numberText } from './number-text.js';
import { rounded, svgDocument, svgLine, svgText } from './svg.js';

interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Axis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  readonly logarithmic?: boolean;
}

export interface LinePlot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Labelled positions on the x axis. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[];
}

const WIDTH = 760;
const HEIGHT = 400;
const FRAME = { left: 64, right: 220, top: 44, bottom: 52 };

/** Lines over two axes, with their names beside them. A point outside the y axis ends its line. */
export function linePlot(plot: LinePlot): string {
  const x = scale(plot.x, FRAME.left, WIDTH - FRAME.right);
  const y = scale(plot.y, HEIGHT - FRAME.bottom, FRAME.top);
  const [left, right, top, bottom] = [x(plot.x.from), x(plot.x.to), y(plot.y.to), y(plot.y.from)];
  const body = [
    svgText(FRAME.left, 22, plot.title, { kind: 'title' }),
    ...plot.y.ticks.flatMap((tick) => [
      svgLine([left, y(tick)], [right, y(tick)], 'grid'),
      svgText(left - 8, y(tick) + 4, numberText(tick), { kind: 'small', anchor: 'end' }),
    ]),
    ...plot.x.ticks.map((tick) => svgText(x(tick), bottom + 18, numberText(tick), { kind: 'small', anchor: 'middle' })),
    svgText((left + right) / 2, HEIGHT - 12, plot.x.title, { kind: 'small', anchor: 'middle' }),
    svgText(left, top - 8, plot.y.title, { kind: 'small', anchor: 'middle' }),
    ...(plot.marks ?? []).flatMap((mark) => [
      svgLine([x(mark.x), top], [x(mark.x), bottom], 'mark'),
      svgText(x(mark.x) + 4, top + 12, mark.label, { kind: 'small' }),
    ]),
    ...plot.series.flatMap(({ name, points }, at) => {
      const seen = points.filter(([, value]) => value >= plot.y.from && value <= plot.y.to);
      const line = seen.map(([px, py]) => `${rounded(x(px))},${rounded(y(py))}`).join(' ');
      const legend = FRAME.top + 14 + at * 20;
      return [
        `<polyline class="c${at + 1}" points="${line}"/>`,
        `<rect class="c${at + 1}" x="${right + 16}" y="${legend - 9}" width="12" height="9"/>`,
        svgText(right + 34, legend, name, { kind: 'small' }),
      ];
    }),
  ];
  return svgDocument(WIDTH, HEIGHT, plot.title, body);
}

function scale(axis: Axis, start: number, end: number): (value: number) => number {
  const place = axis.logarithmic ? Math.log : (value: number) => value;
  const [from, to] = [place(axis.from), place(axis.to)];
  return (value) => start + ((place(value) - from) / (to - from)) * (end - start);
}

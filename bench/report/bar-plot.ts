import { numberText } from './number-text.js';
import { escapeXml, rounded, svgDocument, svgLine, svgText } from './svg.js';

interface Bar {
  readonly label: string;
  readonly value: number;
  /** The lowest and highest values, drawn over the bar. */
  readonly ends?: readonly [number, number];
}

/** Bars with a common scale. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 760;
const LEFT = 250;
const RIGHT = 150;
const TITLE = 30;
const ROW = 22;
const THICK = 14;
const MARGIN = 12;

/** Panels of horizontal bars, one below the other. The first bar of several is the reference, and grey. */
export function barPlot(title: string, panels: readonly Panel[]): string {
  const body: string[] = [];
  let y = MARGIN;
  for (const panel of panels) {
    body.push(svgText(MARGIN, y + 18, panel.title, { kind: 'title' }));
    y += TITLE;
    const highest = Math.max(...panel.bars.map(({ value, ends }) => Math.max(value, ends?.[1] ?? 0)), Number.MIN_VALUE);
    panel.bars.forEach((bar, at) => {
      const colour = panel.bars.length === 1 ? 1 : Math.min(at, 4);
      body.push(...barOf(bar, y, { unit: panel.unit, colour, scale: (WIDTH - LEFT - RIGHT) / highest }));
      y += ROW;
    });
    y += MARGIN;
  }
  return svgDocument(WIDTH, y, title, body);
}

function barOf({ label, value, ends }: Bar, y: number, look: { unit: string; colour: number; scale: number }): string[] {
  const middle = y + THICK / 2;
  const at = (of: number) => LEFT + of * look.scale;
  const width = rounded(Math.max(1, value * look.scale));
  const range = ends === undefined || ends[0] === ends[1] ? [] : [svgLine([at(ends[0]), middle], [at(ends[1]), middle], 'range')];
  const shown = `${numberText(value)} ${look.unit}`;
  return [
    svgText(LEFT - 8, y + 12, label, { anchor: 'end' }),
    `<rect class="c${look.colour}" x="${LEFT}" y="${y}" width="${width}" height="${THICK}" rx="2"><title>${escapeXml(`${label}: ${shown}`)}</title></rect>`,
    ...range,
    svgText(at(Math.max(value, ends?.[1] ?? 0)) + 8, y + 12, shown),
  ];
}

import { barPlot } from './bar-plot.js';
import { linePlot } from './line-plot.js';

const numbers = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(([, found]) => Number(found));

describe('barPlot', () => {
  const svg = barPlot('rates', [
    {
      title: 'a < b',
      unit: '/s',
      bars: [
        { label: 'one', value: 50, ends: [40, 100] },
        { label: 'two', value: 25 },
      ],
    },
  ]);

  it('draws bars in proportion, within the highest value', () => {
    expect(numbers(svg, /rect class="c\d" [^>]*width="([\d.]+)"/g)).toEqual([180, 90]);
    expect(svg).toContain('x2="610"');
  });

  it('escapes markup in text', () => {
    expect(svg).toContain('a &lt; b');
    expect(svg).not.toContain('a < b');
  });
});

describe('linePlot', () => {
  const x = { title: 'x', from: 0, to: 10, ticks: [0, 10] };
  const y = { title: 'y', from: 1, to: 100, ticks: [1, 10, 100], logarithmic: true };
  const pointsOf = (points: [number, number][]) =>
    /polyline class="c1" points="([^"]*)"/.exec(linePlot({ title: 't', x, y, series: [{ name: 's', points }] }))?.[1]?.split(' ');

  it('gives every power of ten the same height on a logarithmic axis', () => {
    const heights = pointsOf([
      [0, 1],
      [5, 10],
      [10, 100],
    ])?.map((point) => Number(point.split(',')[1]));
    expect(heights).toEqual([348, 196, 44]);
  });

  it('ends a line where it leaves the axis', () => {
    expect(
      pointsOf([
        [0, 1],
        [5, 1000],
      ]),
    ).toHaveLength(1);
  });
});

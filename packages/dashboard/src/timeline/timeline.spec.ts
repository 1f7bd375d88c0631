import { describe, expect, test } from '@jest/globals';
import type { Term } from '../terms/term.js';
import { holderColours, laneShapes, pathOf, termAt } from './lane-shapes.js';
import { changesOf } from './term-change.js';
import { between, formatWindow, notAfter, pan, parseWindow, ticksOf, windowOf, zoom } from './time-window.js';

const term = (holder: string, from: number, to?: number, more: Partial<Term> = {}): Term => ({
  holder,
  token: String(from),
  from,
  to,
  reason: to === undefined ? '' : 'Released',
  renewedAt: undefined,
  lapsedAt: undefined,
  lapsed: false,
  lapses: 0,
  ...more,
});

describe('the period', () => {
  test('is read from the address and written to it', () => {
    for (const text of ['10m', '1d', '90d', '1000-61000']) expect(formatWindow(parseWindow(text))).toBe(text);
    for (const text of ['', '1h', '2h', '5-5', '9-3', '1e3-2e3', '-1-2', '__proto__']) expect(formatWindow(parseWindow(text))).toBe('');
    expect(windowOf('1h', 3_600_001)).toEqual({ from: 1, to: 3_600_001 });
  });

  test('is zoomed around a moment that keeps its place, within limits', () => {
    expect(zoom({ from: 0, to: 100_000 }, 0.5, 25_000)).toEqual({ from: 12_500, to: 62_500 });
    expect(zoom({ from: 0, to: 1000 }, 0.5, 500)).toEqual({ from: 0, to: 1000 });
  });

  test('does not move beyond now', () => {
    expect(pan({ from: 0, to: 100 }, 0.5, 120)).toEqual({ from: 20, to: 120 });
    expect(pan({ from: 50, to: 150 }, -0.5, 150)).toEqual({ from: 0, to: 100 });
    expect(notAfter({ from: 50, to: 150 }, 100)).toEqual({ from: 0, to: 100 });
  });

  test('between two moments lasts a second at least', () => {
    expect(between(9000, 4000)).toEqual({ from: 4000, to: 9000 });
    expect(between(4000, 4001)).toEqual({ from: 4000, to: 5000 });
  });
});

test('ticks are at round times in UTC, wherever the browser is', () => {
  const from = Date.UTC(2026, 0, 2, 22, 30);
  expect(ticksOf({ from, to: from + 3 * 3_600_000 }, 4).map(({ text }) => text)).toEqual(['23:00', '3 Jan', '01:00']);
});

test('ticks are at round times, and not more than asked for', () => {
  for (const length of [5000, 600_000, 3_600_000, 86_400_000, 90 * 86_400_000]) {
    const from = Date.UTC(2026, 0, 2, 3, 4, 5);
    const ticks = ticksOf({ from, to: from + length }, 10);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(11);
    for (const { at } of ticks) expect(at % 500).toBe(0);
  }
});

describe('the colours of holders', () => {
  const colours = (...holders: string[]) => holderColours(holders.map((holder, at) => term(holder, at, at + 1)));

  test('are never those of the term before, however many holders there are', () => {
    const holders = Array.from({ length: 2000 }, (_, at) => `worker-6c4f-${((at * 7919) % 997).toString(36)}`);
    const shown = colours(...holders);
    expect(new Set(shown).size).toBe(8);
    for (const [at, colour] of shown.entries()) expect(at > 0 && colour === shown[at - 1]).toBe(false);
  });

  const names = Array.from({ length: 9 }, (_, at) => `pod-${at}`);
  const own = (holder: string) => colours(holder)[0];

  test('are by the name, in whatever company', () => {
    const [one = '', ...others] = names;
    const other = others.find((name) => own(name) !== own(one)) ?? '';
    expect(colours(one, other)).toEqual([own(one), own(other)]);
    expect(colours(other, one)).toEqual([own(other), own(one)]);
  });

  test('stay with holders that take turns, though their names have the same', () => {
    const one = names.find((name, at) => names.some((more, place) => place > at && own(more) === own(name))) ?? '';
    const other = names.findLast((name) => own(name) === own(one)) ?? '';
    const [a, b] = colours(one, other);
    expect(b).not.toBe(a);
    expect(colours(one, other, one, one, other)).toEqual([a, b, a, a, b]);
  });
});

describe('a lane', () => {
  const window = { from: 0, to: 1000 };

  test('shows each term at its place, cut to the period', () => {
    const terms = [term('a', -500, 200), term('b', 250, 600), term('c', 600)];
    const [a, b, c] = holderColours(terms);
    expect(laneShapes(terms, [], window, 100)).toEqual({
      unknown: 0,
      held: [
        { x: 0, width: 20, holder: 'a', colour: a, terms: 1 },
        { x: 25, width: 35, holder: 'b', colour: b, terms: 1 },
        { x: 60, width: 40, holder: 'c', colour: c, terms: 1 },
      ],
      late: [],
    });
  });

  test('shows any number of short terms as one stretch', () => {
    const terms = Array.from({ length: 900 }, (_, index) => term(String(index), index, index + 1));
    const { held } = laneShapes([...terms, term('last', 900)], [], window, 100);
    expect(held).toHaveLength(2);
    expect(held[0]).toMatchObject({ x: 0, holder: '', colour: 'many', terms: 900 });
    expect(held[1]).toMatchObject({ x: 90, width: 10, holder: 'last', terms: 1 });
  });

  test('marks lapses, late renewals, and the silence before an expiry', () => {
    const expired = term('a', 0, 500, { reason: 'Expired', renewedAt: 400 });
    const lapsed = term('b', 500, undefined, { lapsedAt: 900, lapsed: true });
    expect(laneShapes([expired, lapsed], [{ from: 100, to: 200 }], window, 100).late).toEqual([
      { x: 10, width: 10 },
      { x: 40, width: 10 },
      { x: 90, width: 10 },
    ]);
  });

  test('marks a lapse after which the holder went on as a moment', () => {
    const went = term('a', 0, 1000, { lapsedAt: 500, lapses: 1 });
    expect(laneShapes([went], [], window, 100).late).toEqual([{ x: 50, width: 2 }]);
  });

  test('does not claim to know the time before the first term', () => {
    expect(laneShapes([term('a', 300)], [], window, 100).unknown).toBe(30);
    expect(laneShapes([], [], window, 100).unknown).toBe(100);
  });

  test('finds the term at a moment', () => {
    const terms = [term('a', 0, 10), term('b', 10, 20)];
    expect([0, 9, 10, 20].map((at) => termAt(terms, at)?.holder)).toEqual(['a', 'a', 'b', undefined]);
  });

  test('is drawn as one path', () => {
    expect(pathOf([{ x: 1, width: 2 }], 0, 28)).toBe('M1.0 0h2.0v28h-2.0z');
  });
});

test('changes tell how each term began and ended', () => {
  const lease = { namespace: 'n', name: 'l' };
  const terms = [
    term('a', 0, 100, { reason: 'Expired', renewedAt: 40 }),
    term('b', 100, 200),
    term('c', 230, 300, { reason: 'HandedOver' }),
    term('d', 300, 400, { reason: 'Replaced' }),
    term('e', 400, 500, { reason: 'Deleted', lapsedAt: 450 }),
  ];
  expect(changesOf(lease, terms).map(({ at, what, holder, before, silentMs }) => [at, what, holder, before, silentMs])).toEqual([
    [0, 'acquired', 'a', '', undefined],
    [100, 'taken-over', 'b', 'a', 60],
    [200, 'released', '', 'b', undefined],
    [230, 'acquired', 'c', 'b', 30],
    [300, 'handed-over', 'd', 'c', undefined],
    [400, 'replaced', 'e', 'd', undefined],
    [450, 'lapsed', 'e', '', undefined],
    [500, 'deleted', '', 'e', undefined],
  ]);
});

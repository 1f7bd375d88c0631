import { describe, expect, it } from '@jest/globals';
import { type Annotations, HAND_OVER, asksFor, isPriority, preferredTo, takenBy, yieldsTo } from './hand-over.js';

const a = { holder: 'a', priority: 1 };
const b = { holder: 'b', priority: 2 };
const c = { holder: 'c', priority: 3 };
const heldBy = (holder: string, annotations: Annotations | undefined) => ({ holder, annotations });
const asked = asksFor(b, heldBy('a', takenBy(a)));

describe('a contender with a greater priority', () => {
  it('asks the holder, who is told', () => {
    expect(preferredTo(a, heldBy('a', asked))).toBe('b');
    expect(preferredTo(a, heldBy('a', takenBy(a)))).toBeUndefined();
  });

  it('asks once', () => expect(asksFor(b, heldBy('a', asked))).toBeUndefined());

  it('takes the place of another with a smaller one, but not of its equal', () => {
    expect(preferredTo(a, heldBy('a', asksFor(c, heldBy('a', asked))))).toBe('c');
    expect(asksFor({ ...b, holder: 'other' }, heldBy('a', asked))).toBeUndefined();
  });

  it('asks nobody who does not take part, such as a client-go that keeps the annotation', () => {
    expect(asksFor(c, heldBy('client-go', takenBy(a)))).toBeUndefined();
    expect(asksFor(c, heldBy('a', undefined))).toBeUndefined();
    expect(asksFor(c, heldBy('', takenBy(a)))).toBeUndefined();
  });

  it('is forgotten once somebody else has taken the lease', () => {
    expect(preferredTo(a, heldBy('client-go', asked))).toBeUndefined();
    expect(takenBy(c, asked)).toEqual(takenBy(c));
    expect(takenBy(undefined, { ...asked, other: 'x' })).toEqual({ other: 'x' });
    expect(takenBy(undefined, asked)).toBeUndefined();
  });
});

it.each([1, 0])('a contender with the priority %d does not ask a holder with 1', (priority) => {
  expect(asksFor({ holder: 'x', priority }, heldBy('a', takenBy(a)))).toBeUndefined();
});

it('a free lease is left to the one for whom it was handed over, unless another matters more', () => {
  const free = heldBy('', asked);
  expect([a, { holder: 'x', priority: 2 }].map((own) => yieldsTo(own, free))).toEqual(['b', 'b']);
  expect([b, c].map((own) => yieldsTo(own, free))).toEqual([undefined, undefined]);
  expect(yieldsTo({ holder: 'x' }, free)).toBe('b');
  expect(yieldsTo(a, heldBy('', takenBy(b)))).toBeUndefined();
  expect(yieldsTo(a, heldBy('x', asked))).toBeUndefined();
});

it.each([
  '',
  '{',
  'null',
  '[]',
  '{"holder":"a"}',
  '{"holder":"","priority":1}',
  '{"holder":"a","priority":1e99}',
  '{"holder":7,"priority":1}',
])('the annotation %j says nothing', (text) => {
  const view = heldBy('a', { [HAND_OVER]: text });
  expect([asksFor(b, view), preferredTo(a, view), yieldsTo(a, { ...view, holder: '' })]).toEqual([undefined, undefined, undefined]);
});

it('a preferred contender that cannot be read is ignored, and replaced', () => {
  const view = heldBy('a', { [HAND_OVER]: '{"holder":"a","priority":1,"preferred":{"holder":"b","priority":"9"}}' });
  expect(preferredTo(a, view)).toBeUndefined();
  expect(preferredTo(a, heldBy('a', asksFor(b, view)))).toBe('b');
});

it('priorities are whole numbers up to those of a PriorityClass', () => {
  expect([0, -1, 1e9, -1e9].every(isPriority)).toBe(true);
  expect([NaN, Infinity, 1.5, 1e9 + 1, '1', undefined].some(isPriority)).toBe(false);
});

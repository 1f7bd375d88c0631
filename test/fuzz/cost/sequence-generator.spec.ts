import { HTTP1_KINDS, HTTP2_KINDS } from './cost-sequence.js';
import { sequenceOf } from './sequence-generator.js';

const sequences = Array.from({ length: 500 }, (_, seed) => sequenceOf(seed));

test('a seed always makes the same sequence', () => {
  expect(sequenceOf(42)).toEqual(sequenceOf(42));
  expect(sequenceOf(42)).not.toEqual(sequenceOf(43));
});

test('every kind of step, both protocols, and windows of zero occur', () => {
  for (const [protocol, kinds] of [
    ['h2', HTTP2_KINDS],
    ['http/1.1', HTTP1_KINDS],
  ] as const) {
    const of = sequences.filter((sequence) => sequence.protocol === protocol);
    expect(new Set(of.flatMap(({ steps }) => steps.map(({ kind }) => kind)))).toEqual(new Set(kinds));
  }
  expect(sequences.some(({ initialWindow }) => initialWindow === 0)).toBe(true);
  expect(sequences.every(({ connections }) => connections >= 1 && connections <= 4)).toBe(true);
});

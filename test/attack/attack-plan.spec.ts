import { ALL_ATTACKS } from './all-attacks.js';
import { attackPlan, flagsOf } from './attack-plan.js';

const names = (seed: number) => attackPlan(ALL_ATTACKS, 3, seed).map((group) => group.map(({ name }) => name));

test('single attacks run in the given order', () => {
  expect(attackPlan(ALL_ATTACKS, 1, 7).flat()).toEqual(ALL_ATTACKS);
});

test('groups contain every attack once, and the seed determines their composition', () => {
  expect(names(1).flat().sort()).toEqual(ALL_ATTACKS.map(({ name }) => name).sort());
  expect(Math.max(...names(1).map((group) => group.length))).toBe(3);
  expect(names(1)).toEqual(names(1));
  expect(names(1)).not.toEqual(names(2));
});

test('a group has the flags of all its attacks', () => {
  const run = () => Promise.resolve();
  const group = [
    { name: 'a', about: '', serverFlags: ['--a=1'], run },
    { name: 'b', about: '', run },
    { name: 'c', about: '', serverFlags: ['--c=1'], run },
  ];
  expect(flagsOf(group)).toEqual(['--a=1', '--c=1']);
});

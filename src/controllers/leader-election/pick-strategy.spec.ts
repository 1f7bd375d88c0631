import { candidateOf } from './candidate.js';
import { pickStrategy } from './pick-strategy.js';

const OLDEST = 'OldestEmulationVersion';

/** Candidates are separated by semicolons: the name, the version of the binary, and the strategies of each. */
function pick(candidates: string) {
  return pickStrategy(
    candidates.split('; ').map((each) => {
      const [name, binaryVersion = '', ...strategies] = each.split(' ');
      return { ...candidateOf({ metadata: { name }, spec: { leaseName: 'lease', binaryVersion } }), strategies };
    }),
  );
}

describe('the strategy of candidates that name one strategy each', () => {
  test.each([
    ['of the only candidate', 'a 1.36.0 OldestEmulationVersion', OLDEST],
    ['of candidates that agree', 'a 1.36.0 x/a; b 1.35.0 x/a', 'x/a'],
    ['of the newest binary', 'a 1.36.0 OldestEmulationVersion; b 1.37.0 x/a', 'x/a'],
    ['of the numerically newest binary', 'a 1.9.0 OldestEmulationVersion; b 1.10.0 x/a', 'x/a'],
    ['of the newest although older ones differ', 'a 1.35.0 OldestEmulationVersion; b 1.35.0 x/a; c 1.36.0 x/c', 'x/c'],
    ['of a valid version rather than an invalid one', 'a junk x/a; b 0.0.1 x/b', 'x/b'],
    ['of the candidates that name one', 'a 1.37.0; b 1.36.0 OldestEmulationVersion', OLDEST],
  ])('is that %s', (_name, candidates, strategy) => {
    expect(pick(candidates)).toEqual({ strategy });
  });

  test('candidates with the same newest version and different strategies are a conflict', () => {
    expect(pick('a 1.36.0 OldestEmulationVersion; b 1.36.0+build x/b')).toEqual({
      problem: `candidates "a", "b" at same binary version but with strategies ${OLDEST}, x/b`,
    });
  });

  test('there is none if no candidate names one', () => {
    expect(pick('a 1.36.0')).toEqual({ problem: 'no candidate names a strategy' });
  });
});

describe('the strategy of candidates of which one lists several', () => {
  test.each([
    ['the first of the only list', 'a 1.0.0 x/a OldestEmulationVersion', 'x/a'],
    ['the common first of all lists', 'a 1.0.0 x/a x/b; b 2.0.0 x/a x/c', 'x/a'],
    ['the one that another list places before its own first', 'a 1.0.0 x/b x/c; b 2.0.0 x/a x/b', 'x/a'],
    ['the first of a list that contains the single strategies of others, regardless of versions', 'a 9.0.0 x/b; b 1.0.0 x/a x/b', 'x/a'],
    ['independent of the order of the others', 'a 1.0.0 x/a x/b x/c; b 1.0.0 x/a x/c x/b', 'x/a'],
    ['one that is listed twice', 'a 1.0.0 x/a x/a', 'x/a'],
  ])('is %s', (_name, candidates, strategy) => {
    expect(pick(candidates)).toEqual({ strategy });
  });

  test.each([
    ['two lists that contradict each other', 'a 1.0.0 x/a x/b; b 2.0.0 x/b x/a', 'x/a, x/b'],
    ['a cycle after a common first', 'a 1.0.0 x/a x/b; b 1.0.0 x/b x/c; c 1.0.0 x/c x/b', 'x/b, x/c'],
  ])('does not exist for %s', (_name, candidates, cycle) => {
    expect(pick(candidates)).toEqual({
      problem: `the candidates' preferred strategies form a cycle: ${cycle}`,
    });
  });

  test('does not exist if the lists have no common first strategy', () => {
    expect(pick('a 1.0.0 x/a x/c; b 1.0.0 x/b')).toEqual({
      problem: "the candidates' preferred strategies have no common first choice: x/a, x/b",
    });
  });
});

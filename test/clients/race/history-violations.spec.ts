import { type Version, historyViolations } from './history-violations.js';

const at = (second: number) => new Date(second * 1000).toISOString();
const version = (revision: bigint, holder: string, transitions: number, acquired: number, renewed: number): Version => ({
  revision,
  holder,
  transitions,
  acquireTime: at(acquired),
  renewTime: at(renewed),
});
const held = version(1n, 'sql-1', 0, 0, 1);

describe('historyViolations', () => {
  it.each<[string, Version]>([
    ['a renewal', version(2n, 'sql-1', 0, 0, 2)],
    ['a release', version(2n, '', 0, 2, 2)],
    ['a takeover after the duration', version(2n, 'sql-2', 1, 4, 4)],
    ["client-go's takeover in the last second", version(2n, 'go-1', 1, 3.2, 3.2)],
    ["fabric8's takeover at the time of an attempt that was stopped", version(2n, 'fabric8-1', 1, 0.5, 0.5)],
  ])('accepts %s', (_, next) => {
    expect(historyViolations([held, next], 3000)).toEqual([]);
  });

  it('accepts a takeover right after a release', () => {
    expect(historyViolations([held, version(2n, '', 0, 2, 2), version(3n, 'sql-2', 1, 2, 2)], 3000)).toEqual([]);
  });

  it.each<[string, Version]>([
    ['a second holder', version(2n, 'sql-2', 1, 3.9, 3.9)],
    ['a second holder by an earlier time', version(2n, 'sql-2', 1, 0.5, 0.5)],
    ['a holder that changes without a term', version(2n, 'sql-2', 0, 0, 4)],
    ['a term of the same holder that is not counted', version(2n, 'sql-1', 0, 5, 5)],
    ['a revision that goes back', version(1n, 'sql-1', 0, 0, 2)],
  ])('finds %s', (_, next) => {
    expect(historyViolations([held, next], 3000)).toHaveLength(1);
  });
});

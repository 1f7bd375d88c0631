import { overstays } from './overstays.js';
import { type Reign, reignsOf } from './reigns-of.js';

const seen = (revision: bigint, holder: string, seenAt: number) => ({
  ...{ revision, holder, seenAt, transitions: 0, acquireTime: '', renewTime: '' },
});
const VERSIONS = [seen(1n, 'a', 0), seen(2n, 'a', 2000), seen(3n, 'b', 5000), seen(4n, '', 9000)];
const reign = (until: number, own: Partial<Reign> = {}): Reign => ({ holder: 'a', token: 1n, from: 10, until, ended: 'lost', ...own });

describe('overstays', () => {
  it.each<[string, Reign]>([
    ['ended before the next one', reign(4000)],
    ['is under a token of no version', reign(7000, { token: 9n })],
    ['is not over by the watch', reign(99_000, { holder: 'c', token: undefined })],
  ])('has none of a reign that %s', (_, each) => {
    expect(overstays([each], [], VERSIONS)).toEqual([]);
  });

  it('has the time from the next term, or from the release, to the loss', () => {
    expect(overstays([reign(7000), reign(9500, { holder: 'b', token: undefined })], [], VERSIONS)).toEqual([
      { holder: 'a', ms: 2000 },
      { holder: 'b', ms: 500 },
    ]);
  });

  it('does not count the time in which the holder was stopped', () => {
    const pauses = [
      { from: 2500, until: 6000 },
      { from: 6500, until: 6700 },
      { from: 7500, until: 9000 },
    ];
    expect(overstays([reign(7000)], pauses, VERSIONS)).toEqual([{ holder: 'a', ms: 800 }]);
  });
});

describe('reignsOf', () => {
  const lines = ['leader a', 'leading a 5', 'lost a deadline', 'wrote 1 2 3 4', 'leading a'];

  it('goes by the lines of a process, and ends with it', () => {
    const reigns = [
      { holder: 'a', token: 5n, from: 1, until: 2, ended: 'lost' },
      { holder: 'a', token: undefined, from: 4, until: 7, ended: 'killed' },
    ];
    expect(reignsOf({ lines, readAt: [0, 1, 2, 3, 4], endedAt: 7 })).toEqual(reigns);
  });

  it('lets the last one of a process that runs go on', () => {
    expect(reignsOf({ lines, readAt: [0, 1, 2, 3, 4], endedAt: undefined }).at(-1)).toMatchObject({ ended: 'running' });
  });
});

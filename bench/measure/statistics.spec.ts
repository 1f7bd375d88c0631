import { mediansOf, ratiosOf, spreadOf } from './statistics.js';

describe('spreadOf', () => {
  it('takes the middle of an odd number of values in any order', () => {
    expect(spreadOf([9, 1, 4])).toEqual({ median: 4, lowest: 1, highest: 9 });
  });

  it('takes the mean of the two in the middle of an even number', () => {
    expect(spreadOf([10, 1, 3, 4]).median).toBe(3.5);
  });
});

describe('mediansOf', () => {
  it('leaves rounds without a figure out of its median', () => {
    expect(mediansOf([{ rate: 1, errors: 0 }, { rate: 3 }, { rate: 8, errors: 4 }])).toEqual({ rate: 3, errors: 2 });
  });
});

describe('ratiosOf', () => {
  it('is the median of the ratios of rounds, not the ratio of the medians', () => {
    const here = [{ rate: 10 }, { rate: 40 }, { rate: 60 }];
    const there = [{ rate: 10 }, { rate: 10 }, { rate: 30 }];
    expect(ratiosOf(here, there, 'rate')).toEqual({ median: 2, lowest: 1, highest: 4 });
  });

  it('leaves out rounds in which one side has no figure or the divisor is 0', () => {
    expect(ratiosOf([{ rate: 4 }, { rate: 5 }, {}], [{ rate: 2 }, { rate: 0 }, { rate: 3 }], 'rate')?.median).toBe(2);
    expect(ratiosOf([{}], [{ rate: 3 }], 'rate')).toBeUndefined();
  });
});

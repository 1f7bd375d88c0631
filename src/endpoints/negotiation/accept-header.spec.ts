import { parseAccept } from './accept-header.js';

const types = (header: string) => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

describe('parseAccept', () => {
  it('sorts entries by quality and specificity, like a stable insertion sort', () => {
    expect(types('a/a;q=0.1, */*, b/*, c/c, d/d;q=0.5')).toEqual(['c/c', 'd/d', 'b/*', '*/*', 'a/a']);
  });

  it('reads and sorts the first thousand entries of a long header', () => {
    const entries = Array.from({ length: 80_000 }, (_, index) => `a/${index};q=0.${String(index).padStart(5, '0')}`);
    expect(types(entries.join(','))).toHaveLength(1000);
    expect(types(entries.join(','))[0]).toBe('a/999');
  });
});

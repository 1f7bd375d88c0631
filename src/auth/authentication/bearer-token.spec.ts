import { describe, expect, it } from '@jest/globals';
import { bearerToken } from './bearer-token.js';

describe('bearerToken', () => {
  const read = (authorization: string | undefined) => {
    const warnings: string[] = [];
    return { token: bearerToken(authorization, { warn: (text) => void warnings.push(text) }), warnings };
  };

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Basic abc', undefined],
    ['Bearerx abc', undefined],
    ['Bearer abc', 'abc'],
    ['bEARER abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer abc def', 'abc'],
  ])('%j holds %j', (authorization, token) => {
    expect(read(authorization)).toEqual({ token, warnings: [] });
  });

  it('finds no token after two spaces, and warns about them', () => {
    const { token, warnings } = read('Bearer  abc');
    expect(token).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('extra space')]);
  });
});

import { parseQuery, parseRequestUrl } from './query.js';

describe('parseQuery', () => {
  it('keeps all values in order, and returns the first', () => {
    const query = parseQuery('dryRun=All&a=1&dryRun=x&a=2');
    expect([query.all('dryRun'), query.first('a'), query.first('b'), query.all('b')]).toEqual([['All', 'x'], '1', undefined, []]);
  });

  it('is empty without parameters, or if every pair is dropped', () => {
    expect(['', '&', 'a=%zz', 'a', 'a=1'].map((text) => parseQuery(text).isEmpty)).toEqual([true, true, true, false, false]);
  });

  it('treats a name without a value as one with an empty value', () => {
    const query = parseQuery('watch&limit=');
    expect([query.first('watch'), query.first('limit'), query.has('watch')]).toEqual(['', '', true]);
  });

  it('decodes escapes and plus signs', () => {
    expect(parseQuery('labelSelector=a+in+%28b%2Cc%29&%6eame=%C3%A9').first('labelSelector')).toBe('a in (b,c)');
    expect(parseQuery('%6eame=%C3%A9').first('name')).toBe('é');
  });

  it('drops pairs with invalid escapes or semicolons, like Go', () => {
    const query = parseQuery('a=%zz&b=1;c=2&d=%4&e=1');
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => query.first(name))).toEqual([undefined, undefined, undefined, undefined, '1']);
  });

  it('distinguishes invalid UTF-8 from the replacement character', () => {
    expect(parseQuery('a=x%ffy').first('a')).toBe('x\udcffy');
  });
});

describe('parseRequestUrl', () => {
  it('splits path and query, and decodes the path', () => {
    expect(parseRequestUrl('/a%20b/c?x=%20')).toEqual({ path: '/a b/c', segments: ['a b', 'c'], rawQuery: 'x=%20' });
  });

  it('trims outer slashes of the segments only', () => {
    expect(parseRequestUrl('//a//b/')).toEqual({ path: '//a//b/', segments: ['a', '', 'b'], rawQuery: '' });
  });

  it('accepts the absolute form', () => {
    expect(parseRequestUrl('https://host:1/a?b')).toEqual({ path: '/a', segments: ['a'], rawQuery: 'b' });
    expect(parseRequestUrl('https://host')?.path).toBe('/');
  });

  it('refuses invalid escapes in the path', () => {
    expect(parseRequestUrl('/a%zz')).toBeUndefined();
    expect(parseRequestUrl('/a?b=%zz')?.path).toBe('/a');
  });
});

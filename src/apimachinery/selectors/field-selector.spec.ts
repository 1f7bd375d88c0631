import { describe, expect, it } from '@jest/globals';
import { parseFieldSelector } from './field-selector.js';

describe('field selectors', () => {
  it('select everything when empty', () => {
    for (const text of ['', ',', '=', '!=', ',=,==']) expect(parseFieldSelector(text).isEmpty).toBe(true);
  });

  it('compare fields without trimming', () => {
    const selector = parseFieldSelector('metadata.name=a,metadata.namespace!= b');
    expect(selector.matches({ 'metadata.name': 'a', 'metadata.namespace': 'b' })).toBe(true);
    expect(selector.matches({ 'metadata.name': 'a', 'metadata.namespace': ' b' })).toBe(false);
    expect(selector.matches({ 'metadata.namespace': 'c' })).toBe(false);
  });

  it('have an exact value only for equality', () => {
    const selector = parseFieldSelector('metadata.namespace!=x,metadata.name==a');
    expect(selector.exactValue('metadata.name')).toBe('a');
    expect(selector.exactValue('metadata.namespace')).toBeUndefined();
  });

  it('decode and encode escapes', () => {
    const selector = parseFieldSelector('b=x\\,y\\=\\\\,a!b=c');
    expect(selector.requirements).toEqual([
      { field: 'a!b', operator: '=', value: 'c' },
      { field: 'b', operator: '=', value: 'x,y=\\' },
    ]);
    expect(String(selector)).toBe('a!b=c,b=x\\,y\\=\\\\');
  });

  it("are refused with upstream's messages", () => {
    const refusals: Record<string, string> = {
      'a,b=c': "invalid selector: 'a,b=c'; can't understand 'a'",
      'a=b=c': 'invalid field selector: unescaped character in value: 61',
      'a=\\x': 'invalid field selector: invalid escape sequence: \\x',
      'a=x\\': 'invalid field selector: invalid escape sequence: \\',
    };
    for (const [text, message] of Object.entries(refusals)) {
      expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ message, code: 400 }));
    }
  });
});

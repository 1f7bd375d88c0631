import { parseMediaType } from './serializers.js';

describe('parseMediaType', () => {
  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/yaml;a=1;b="x y\\""', 'application/yaml'],
    ['application/json;', 'application/json'],
  ])('reads %s', (header, mediaType) => {
    expect(parseMediaType(header)).toBe(mediaType);
  });

  it.each(['', ';', 'application/', '/json', 'a b/c', 'application/json; x', 'application/json; x=', 'a/b/c'])('refuses %s', (header) => {
    expect(parseMediaType(header)).toBeUndefined();
  });

  it.each([
    [';a=b' + ' '.repeat(500_000) + 'x'],
    [';' + ' '.repeat(500_000) + 'x'],
    [';a=b'.repeat(100_000) + '=='],
    [';a="' + '\\a'.repeat(300_000)],
    [';a="' + 'a'.repeat(900_000)],
  ])('refuses a long invalid one', (parameters) => {
    expect(parseMediaType(`a/b${parameters}`)).toBeUndefined();
  });

  it('reads a long valid one', () => {
    expect(parseMediaType(`a/b;a="${'\\"'.repeat(300_000)}"${';a=b'.repeat(100_000)}`)).toBe('a/b');
  });
});

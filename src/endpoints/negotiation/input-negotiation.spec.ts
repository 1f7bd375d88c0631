import { parseMediaType } from './input-negotiation.js';

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
});

import { describe, expect, it } from '@jest/globals';
import { decodeContinueToken, encodeContinueToken, keyAfter } from './continue-token.js';

const raw = (json: string) => Buffer.from(json, 'utf8').toString('base64url');
const messageOf = (token: string): string => {
  try {
    return JSON.stringify(decodeContinueToken(token), (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  } catch (error) {
    return (error as Error).message;
  }
};

describe('continue token', () => {
  it("is unpadded base64url of compact JSON, like upstream's", () => {
    const token = encodeContinueToken({ revision: 42, start: keyAfter('ns/name') });
    expect(Buffer.from(token, 'base64url').toString()).toBe('{"v":"meta.k8s.io/v1","rv":42,"start":"ns/name\\u0000"}');
    expect(token).not.toContain('=');
    expect(decodeContinueToken(token)).toEqual({ revision: 42n, start: 'ns/name\0' });
  });

  it('preserves negative revisions and those above the safe integers', () => {
    expect(decodeContinueToken(raw('{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"}')).revision).toBe(9223372036854775807n);
    expect(decodeContinueToken(encodeContinueToken({ revision: -1, start: 'a' })).revision).toBe(-1n);
  });

  it('drops one leading slash', () => {
    expect(decodeContinueToken(raw('{"v":"meta.k8s.io/v1","rv":7,"start":"/a"}')).start).toBe('a');
  });

  it.each([
    ['bogus', 'illegal base64 data at input byte 4'],
    ['!abc', 'illegal base64 data at input byte 0'],
    ['YWI=', 'illegal base64 data at input byte 3'],
    [raw('{"rv":7,"start":"a"}'), 'server does not recognize this encoded version '],
    [raw('null'), 'server does not recognize this encoded version '],
    [raw('{"v":"meta.k8s.io/v2","rv":7,"start":"a"}'), 'server does not recognize this encoded version meta.k8s.io/v2'],
    [raw('{"v":"meta.k8s.io/v1","start":"a"}'), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [raw('{"v":"meta.k8s.io/v1","rv":7,"start":""}'), 'encoded start key empty (version meta.k8s.io/v1)'],
    [raw('{"v":"meta.k8s.io/v1","rv":7,"start":"a//b"}'), 'a//b'],
    [raw('{"v":"meta.k8s.io/v1","rv":7,"start":"a/../../b"}'), 'a/../../b'],
    [raw('{"v":"meta.k8s.io/v1","rv":7,"start":"../other/a"}'), '../other/a'],
    [raw('{"v":"meta.k8s.io/v1","rv":7,"start":"a/"}'), 'a/'],
    ['junk', "invalid character '\\u008e' looking for beginning of value"],
    [raw('{"v":"meta.k8s.io/v1","rv":7'), 'unexpected end of JSON input'],
    [raw('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [raw('true'), 'json: cannot unmarshal bool into Go value of type storage.continueToken'],
    [raw('{"v":5}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [raw('{"start":{}}'), 'json: cannot unmarshal object into Go struct field continueToken.start of type string'],
    [raw('{"rv":"7"}'), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
    [raw('{"rv":7.5}'), 'json: cannot unmarshal number 7.5 into Go struct field continueToken.rv of type int64'],
    [
      raw('{"rv":9223372036854775808}'),
      'json: cannot unmarshal number 9223372036854775808 into Go struct field continueToken.rv of type int64',
    ],
  ])('is refused with 400 for %s', (token, detail) => {
    expect(messageOf(token)).toBe(`invalid continue token: continue key is not valid: ${detail}`);
  });
});

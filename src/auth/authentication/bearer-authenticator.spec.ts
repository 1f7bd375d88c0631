import { describe, expect, it } from '@jest/globals';
import { AuthenticationError } from './authenticator.js';
import { bearerToken, webSocketProtocols, webSocketToken } from './bearer-authenticator.js';

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

const PREFIX = 'base64url.bearer.authorization.k8s.io.';
const headers = (...protocols: string[]) => ({ upgrade: 'WebSocket', 'sec-websocket-protocol': protocols.join(', ') });
const encoded = (token: string) => PREFIX + Buffer.from(token).toString('base64url');

describe('the token of a WebSocket', () => {
  it('is a subprotocol next to others, which are kept', () => {
    const offered = headers(encoded('tökén'), 'v4.channel.k8s.io');
    expect(webSocketToken(offered)).toBe('tökén');
    expect(webSocketProtocols(offered)).toEqual(['v4.channel.k8s.io']);
  });

  it.each([
    [{}],
    [headers('v4.channel.k8s.io')],
    [headers(PREFIX, 'v4.channel.k8s.io')],
    [{ ...headers(encoded('t'), 'a'), upgrade: 'h2c' }],
  ])('is not found in %j', (offered) => {
    expect(webSocketToken(offered)).toBeUndefined();
  });

  it.each([
    ['alone', headers(encoded('t'))],
    ['twice', headers(encoded('t'), encoded('u'), 'a')],
    ['in another alphabet', headers(`${PREFIX}a+b/`, 'a')],
    ['not UTF-8', headers(PREFIX + Buffer.from([0xff]).toString('base64url'), 'a')],
  ])('is refused %s', (_how, offered) => {
    expect(() => webSocketToken(offered)).toThrow(AuthenticationError);
  });
});

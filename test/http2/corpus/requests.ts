import { get, GET_METHOD, headers, HTTPS, literal, POST_METHOD } from '../../support/http2-frames.js';
import { ANSWERED, RESET } from '../outcomes.js';
import { type Example, type Examples, example } from '../sequence.js';

/** One request with this header block. */
function block(section: string, outcome: string, bytes: readonly number[]): Example {
  return example(section, outcome, (s) => [headers(s, bytes), { answered: s }]);
}

const more = (name: string, value: string) => [...get(), ...literal(name, value)];
const PATH = literal(':path', '/');
const AUTHORITY = literal(':authority', 'test');
const METHOD = (value: string) => [...literal(':method', value), HTTPS, ...PATH, ...AUTHORITY];
const path = (value: string) => [GET_METHOD, HTTPS, ...literal(':path', value), ...AUTHORITY];
const rootWith = (...fields: readonly number[]) => [GET_METHOD, HTTPS, ...PATH, ...fields];

/** Header fields and pseudo-headers of requests (sections 8.2 and 8.3). */
export const REQUESTS: Examples = {
  'a name in upper case': block('8.2.1', RESET, more('Accept', '*/*')),
  'a name with a space': block('8.2.1', RESET, more('a b', 'c')),
  'a name with a colon inside': block('8.2.1', RESET, more('a:b', 'c')),
  'an empty name': block('8.2.1', RESET, more('', 'c')),
  'a name with a control character': block('8.2.1', RESET, more('a\x01', 'c')),
  'a name beyond ASCII': block('8.2.1', RESET, more('é', 'c')),
  'a line break in a value': block('8.2.1', RESET, more('a', 'b\r\nc: d')),
  'a zero in a value': block('8.2.1', RESET, more('a', 'b\0c')),
  'another control character in a value': block('8.2.1', RESET, more('a', 'b\x01c')),
  'a space at the ends of a value': block('8.2.1', ANSWERED, more('a', ' b ')),
  'bytes beyond ASCII in a value': block('8.2.1', ANSWERED, more('a', 'é')),
  'an empty value': block('8.2.1', ANSWERED, more('a', '')),
  'connection: close': block('8.2.2', RESET, more('connection', 'close')),
  'keep-alive': block('8.2.2', RESET, more('keep-alive', 'timeout=5')),
  'proxy-connection': block('8.2.2', RESET, more('proxy-connection', 'keep-alive')),
  'transfer-encoding: chunked': block('8.2.2', RESET, more('transfer-encoding', 'chunked')),
  upgrade: block('8.2.2', RESET, more('upgrade', 'websocket')),
  'te: trailers': block('8.2.2', ANSWERED, more('te', 'trailers')),
  'te: gzip': block('8.2.2', RESET, more('te', 'gzip')),
  'te: trailers, gzip': block('8.2.2', RESET, more('te', 'trailers, gzip')),
  'cookies in pieces': block('8.2.3', ANSWERED, [...more('cookie', 'a=1'), ...literal('cookie', 'b=2')]),
  'an unknown pseudo-header': block('8.3', RESET, rootWith(...AUTHORITY, ...literal(':x', 'y'))),
  'a pseudo-header of answers': block('8.3', RESET, rootWith(...AUTHORITY, 0x88)),
  'a pseudo-header behind a header': block('8.3', RESET, [GET_METHOD, HTTPS, ...literal('a', 'b'), ...PATH, ...AUTHORITY]),
  'two paths': block('8.3', RESET, rootWith(...PATH, ...AUTHORITY)),
  'two methods': block('8.3', RESET, [GET_METHOD, POST_METHOD, HTTPS, ...PATH, ...AUTHORITY]),
  'two authorities': block('8.3', RESET, rootWith(...AUTHORITY, ...AUTHORITY)),
  'no method': block('8.3.1', RESET, [HTTPS, ...PATH, ...AUTHORITY]),
  'no scheme': block('8.3.1', RESET, [GET_METHOD, ...PATH, ...AUTHORITY]),
  'no path': block('8.3.1', RESET, [GET_METHOD, HTTPS, ...AUTHORITY]),
  'no authority, no host': block('8.3.1', ANSWERED, rootWith()),
  'a host instead of an authority': block('8.3.1', ANSWERED, rootWith(...literal('host', 'test'))),
  'a host that is not the authority': block('8.3.1', ANSWERED, more('host', 'other')),
  'two hosts': block('8.3.1', ANSWERED, rootWith(...literal('host', 'a'), ...literal('host', 'b'))),
  'an empty path': block('8.3.1', RESET, path('')),
  'a path without a slash': block('8.3.1', RESET, path('x')),
  'a whole URL as path': block('8.3.1', RESET, path('https://test/')),
  'a path with a space': block('8.3.1', '+0: 200 "GET /a b 0"; alive', path('/a b')),
  'a path with a bad escape': block('8.3.1', '+0: 200 "GET /%zz 0"; alive', path('/%zz')),
  'a path with a fragment': block('8.3.1', '+0: 200 "GET /a#b 0"; alive', path('/a#b')),
  '* for OPTIONS': block('8.3.1', '+0: 200 "OPTIONS * 0"; alive', [
    ...literal(':method', 'OPTIONS'),
    HTTPS,
    ...literal(':path', '*'),
    ...AUTHORITY,
  ]),
  '* for GET': block('8.3.1', RESET, path('*')),
  'the scheme http': block('8.3.1', ANSWERED, [GET_METHOD, 0x86, ...PATH, ...AUTHORITY]),
  'a scheme of another kind': block('8.3.1', ANSWERED, [GET_METHOD, ...literal(':scheme', 'ftp'), ...PATH, ...AUTHORITY]),
  'an authority with user information': block('8.3.1', RESET, rootWith(...literal(':authority', 'a:b@test'))),
  'an authority with a slash': block('8.3.1', ANSWERED, rootWith(...literal(':authority', 'te/st'))),
  HEAD: block('8.1', '+0: 200; alive', METHOD('HEAD')),
  'a method of its own': block('8.3.1', '+0: 200 "BREW / 0"; alive', METHOD('BREW')),
  'a method in lower case': block('8.3.1', '+0: 200 "get / 0"; alive', METHOD('get')),
  'a method that is no token': block('8.3.1', RESET, METHOD('G T')),
  'an empty method': block('8.3.1', RESET, METHOD('')),
  'a method named constructor': block('8.3.1', '+0: 200 "constructor / 0"; alive', METHOD('constructor')),
  CONNECT: block('8.5', RESET, [...literal(':method', 'CONNECT'), ...AUTHORITY]),
  'CONNECT with a path': block('8.5', RESET, METHOD('CONNECT')),
  'extended CONNECT, which was not offered': block('8441-4', RESET, [...METHOD('CONNECT'), ...literal(':protocol', 'websocket')]),
};

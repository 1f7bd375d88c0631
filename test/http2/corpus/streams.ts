import {
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  get,
  headers,
  literal,
  PADDED,
  post,
  PRIORITY,
  reset,
  Type,
  uint32,
} from '../../support/http2-frames.js';
import { type Examples, example } from '../sequence.js';

const TRAILER = literal('x-sum', '1');

/** Streams and their states (section 5.1), bodies, padding and trailers. */
export const STREAMS: Examples = {
  'a request': example('5.1', '+0: 200 "GET / 0"; alive', (s) => [headers(s, get()), { answered: s }]),
  'a request with a body': example('5.1', '+0: 200 "POST / 52"; alive', (s, random) => [
    headers(s, post(), END_HEADERS),
    data(s, 'a'.repeat(random(100))),
    data(s, 'ab', END_STREAM),
    { answered: s },
  ]),
  'a request with an empty body in one DATA frame': example('5.1', '+0: 200 "POST / 0"; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, '', END_STREAM),
    { answered: s },
  ]),
  'an even stream': example('5.1.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [headers(s + 1, get())]),
  'a stream with a smaller number, never opened': example('5.1.1', '+4: 200 "GET / 0"; GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s + 4, get()),
    { answered: s + 4 },
    headers(s + 2, get()),
  ]),
  'a stream with a greater number': example('5.1.1', '+1000: 200 "GET / 0"; alive', (s, random) => [
    headers(s + 2 * random(1000), get()),
    { answered: s + 2 * random(1000) },
  ]),
  'DATA on an idle stream': example('5.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [data(s, 'x')]),
  'RST_STREAM of an idle stream': example('5.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [reset(s)]),
  'WINDOW_UPDATE of an idle stream': example('5.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [frame(Type.WINDOW_UPDATE, 0, s, uint32(1))]),
  'RST_STREAM of an even stream': example('5.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [reset(s + 1)]),
  'DATA behind the end of the stream': example('5.1', '+0: RST STREAM_CLOSED; alive', (s) => [
    headers(s, post('/hold'), END_HEADERS),
    data(s, 'x', END_STREAM),
    data(s, 'x'),
  ]),
  'HEADERS behind the end of the stream': example('5.1', '+0: RST STREAM_CLOSED; alive', (s) => [
    headers(s, post('/hold'), END_HEADERS),
    data(s, 'x', END_STREAM),
    headers(s, TRAILER),
  ]),
  'DATA on a closed stream': example('5.1', '+0: 200 "GET / 0" RST STREAM_CLOSED; alive', (s) => [
    headers(s, get()),
    { answered: s },
    data(s, 'x', END_STREAM),
  ]),
  'HEADERS on a closed stream': example('5.1', '+0: 200 "GET / 0"; GOAWAY STREAM_CLOSED; closed', (s) => [
    headers(s, get()),
    { answered: s },
    headers(s, get()),
  ]),
  'WINDOW_UPDATE and RST_STREAM on a closed stream': example('5.1', '+0: 200 "GET / 0"; alive', (s) => [
    headers(s, get()),
    { answered: s },
    frame(Type.WINDOW_UPDATE, 0, s, uint32(1)),
    reset(s),
  ]),
  'PRIORITY on a closed stream': example('5.1', '+0: 200 "GET / 0"; alive', (s) => [
    headers(s, get()),
    { answered: s },
    frame(Type.PRIORITY, 0, s, [...uint32(0), 1]),
  ]),
  'DATA on a stream that the client has reset': example('5.1', '+0: RST STREAM_CLOSED; alive', (s) => [
    headers(s, post(), END_HEADERS),
    reset(s),
    data(s, 'x'),
  ]),
  'HEADERS on a stream that the client has reset': example('5.1', 'GOAWAY STREAM_CLOSED; closed', (s) => [
    headers(s, post(), END_HEADERS),
    reset(s),
    headers(s, TRAILER),
  ]),
  'a client resets its request': example('6.4', 'alive', (s, random) => [
    headers(s, post(), END_HEADERS),
    data(s, 'x'),
    reset(s, random(20)),
  ]),
  'RST_STREAM twice': example('6.4', 'alive', (s) => [headers(s, post(), END_HEADERS), reset(s), reset(s)]),
  'an answer before the end of its request': example('8.1', '+0: 200 "POST /early" RST NO_ERROR; alive', (s) => [
    headers(s, post('/early'), END_HEADERS),
    { answered: s },
  ]),
  'DATA behind an answer that came early': example('8.1', '+0: 200 "POST /early" RST NO_ERROR; alive', (s) => [
    headers(s, post('/early'), END_HEADERS),
    { answered: s },
    data(s, 'late', END_STREAM),
  ]),
  'trailers behind an answer that came early': example('8.1', '+0: 200 "POST /early" RST NO_ERROR; alive', (s) => [
    headers(s, post('/early'), END_HEADERS),
    { answered: s },
    headers(s, TRAILER),
  ]),
  'DATA with padding': example('6.1', '+0: 200 "POST / 2"; alive', (s, random) => {
    const padding = random(256);
    return [
      headers(s, post(), END_HEADERS),
      frame(Type.DATA, PADDED | END_STREAM, s, [padding, ...Buffer.from('ab'), ...Buffer.alloc(padding)]),
      { answered: s },
    ];
  }),
  'DATA with nothing but padding': example('6.1', '+0: 200 "POST / 0"; alive', (s) => [
    headers(s, post(), END_HEADERS),
    frame(Type.DATA, PADDED, s, Buffer.from([3, 0, 0, 0])),
    data(s, '', END_STREAM),
    { answered: s },
  ]),
  'DATA with padding as long as the frame': example('6.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s, post(), END_HEADERS),
    frame(Type.DATA, PADDED, s, [2, 0]),
  ]),
  'DATA without the length of its padding': example('6.1', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s, post(), END_HEADERS),
    frame(Type.DATA, PADDED, s),
  ]),
  'HEADERS with padding and priority': example('6.2', '+0: 200 "GET / 0"; alive', (s, random) => {
    const padding = random(100);
    const block = [padding, ...uint32(random(2) * 2 ** 31), random(256), ...get(), ...Buffer.alloc(padding)];
    return [headers(s, block, END_HEADERS | END_STREAM | PADDED | PRIORITY), { answered: s }];
  }),
  'HEADERS with padding longer than the frame': example('6.2', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s, [200, ...get()], END_HEADERS | END_STREAM | PADDED),
  ]),
  'HEADERS too short for their priority': example('6.2', 'GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s, [0, 0, 0], END_HEADERS | END_STREAM | PRIORITY),
  ]),
  trailers: example('8.1', '+0: 200 "POST / 1"; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, 'x'),
    headers(s, TRAILER),
    { answered: s },
  ]),
  'trailers without an end': example('8.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, 'x'),
    headers(s, TRAILER, END_HEADERS),
  ]),
  'trailers with a pseudo-header': example('8.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, 'x'),
    headers(s, literal(':path', '/')),
  ]),
  'trailers with a connection header': example('8.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, 'x'),
    headers(s, literal('connection', 'close')),
  ]),
  'a content-length that is the length': example('8.1.1', '+0: 200 "POST / 3"; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'abc', END_STREAM),
    { answered: s },
  ]),
  'less than the content-length': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'ab', END_STREAM),
  ]),
  'more than the content-length': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'abcd', END_STREAM),
  ]),
  'a content-length without a body': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3')]),
  ]),
  'less than the content-length, with trailers': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'ab'),
    headers(s, TRAILER),
  ]),
  'two content-lengths that differ': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3'), ...literal('content-length', '4')], END_HEADERS),
    data(s, 'abc', END_STREAM),
  ]),
  'two content-lengths that agree': example('8.1.1', '+0: 200 "POST / 3"; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3'), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'abc', END_STREAM),
    { answered: s },
  ]),
  'a content-length that is no number': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '3x')], END_HEADERS),
    data(s, 'abc', END_STREAM),
  ]),
  'a content-length with a sign': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '+3')], END_HEADERS),
    data(s, 'abc', END_STREAM),
  ]),
  'a negative content-length': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '-3')], END_HEADERS),
    data(s, 'abc', END_STREAM),
  ]),
  'a content-length of 2^64': example('8.1.1', '+0: RST PROTOCOL_ERROR; alive', (s) => [
    headers(s, [...post(), ...literal('content-length', '18446744073709551616')], END_HEADERS),
    data(s, 'abc', END_STREAM),
  ]),
  'a client that expects 100-continue': example('8.1', '+0: 100 "POST / 3" 200; alive', (s) => [
    headers(s, [...post(), ...literal('expect', '100-continue')], END_HEADERS),
    data(s, 'abc', END_STREAM),
    { answered: s },
  ]),
  'a client that expects something else': example('8.1', '+0: 200 "POST / 3"; alive', (s) => [
    headers(s, [...post(), ...literal('expect', 'mercy')], END_HEADERS),
    data(s, 'abc', END_STREAM),
    { answered: s },
  ]),
};

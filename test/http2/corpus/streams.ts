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
import { ANSWERED, PROTOCOL_ERROR, RESET } from '../outcomes.js';
import { type Example, type Examples, type Step, example } from '../sequence.js';

const TRAILER = literal('x-sum', '1');

/** What follows the headers of a POST. */
function posted(section: string, outcome: string, steps: Example['steps']): Example {
  return example(section, outcome, (s, random) => [headers(s, post(), END_HEADERS), ...steps(s, random)]);
}

/** What follows the answer to a GET. */
function behindAnswer(outcome: string, steps: (stream: number) => readonly Step[]): Example {
  return example('5.1', outcome, (s) => [headers(s, get()), { answered: s }, ...steps(s)]);
}

/** Trailers behind a body. */
function trailed(outcome: string, block: readonly number[], flags = END_HEADERS | END_STREAM): Example {
  return posted('8.1', outcome, (s) => [data(s, 'x'), headers(s, block, flags), { answered: s }]);
}

/** A body under these content-lengths. */
function measured(outcome: string, lengths: readonly string[], body = 'abc'): Example {
  const block = [...post(), ...lengths.flatMap((length) => literal('content-length', length))];
  return example('8.1.1', outcome, (s) => [headers(s, block, END_HEADERS), data(s, body, END_STREAM), { answered: s }]);
}

/** Streams and their states (section 5.1), bodies, padding and trailers. */
export const STREAMS: Examples = {
  'a request': example('5.1', ANSWERED, (s) => [headers(s, get()), { answered: s }]),
  'a request with a body': posted('5.1', '+0: 200 "POST / 52"; alive', (s, random) => [
    data(s, 'a'.repeat(random(100))),
    data(s, 'ab', END_STREAM),
    { answered: s },
  ]),
  'a request with an empty body in one DATA frame': posted('5.1', '+0: 200 "POST / 0"; alive', (s) => [
    data(s, '', END_STREAM),
    { answered: s },
  ]),
  'an even stream': example('5.1.1', PROTOCOL_ERROR, (s) => [headers(s + 1, get())]),
  'a stream with a smaller number, never opened': example('5.1.1', '+4: 200 "GET / 0"; GOAWAY PROTOCOL_ERROR; closed', (s) => [
    headers(s + 4, get()),
    { answered: s + 4 },
    headers(s + 2, get()),
  ]),
  'a stream with a greater number': example('5.1.1', '+1000: 200 "GET / 0"; alive', (s, random) => [
    headers(s + 2 * random(1000), get()),
    { answered: s + 2 * random(1000) },
  ]),
  'DATA on an idle stream': example('5.1', PROTOCOL_ERROR, (s) => [data(s, 'x')]),
  'RST_STREAM of an idle stream': example('5.1', PROTOCOL_ERROR, (s) => [reset(s)]),
  'WINDOW_UPDATE of an idle stream': example('5.1', PROTOCOL_ERROR, (s) => [frame(Type.WINDOW_UPDATE, 0, s, uint32(1))]),
  'RST_STREAM of an even stream': example('5.1', PROTOCOL_ERROR, (s) => [reset(s + 1)]),
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
  'DATA on a closed stream': behindAnswer('+0: 200 "GET / 0" RST STREAM_CLOSED; alive', (s) => [data(s, 'x', END_STREAM)]),
  'HEADERS on a closed stream': behindAnswer('+0: 200 "GET / 0"; GOAWAY STREAM_CLOSED; closed', (s) => [headers(s, get())]),
  'WINDOW_UPDATE and RST_STREAM on a closed stream': behindAnswer(ANSWERED, (s) => [frame(Type.WINDOW_UPDATE, 0, s, uint32(1)), reset(s)]),
  'PRIORITY on a closed stream': behindAnswer(ANSWERED, (s) => [frame(Type.PRIORITY, 0, s, [...uint32(0), 1])]),
  'DATA on a stream that the client has reset': posted('5.1', '+0: RST STREAM_CLOSED; alive', (s) => [reset(s), data(s, 'x')]),
  'HEADERS on a stream that the client has reset': posted('5.1', 'GOAWAY STREAM_CLOSED; closed', (s) => [reset(s), headers(s, TRAILER)]),
  'a client resets its request': posted('6.4', 'alive', (s, random) => [data(s, 'x'), reset(s, random(20))]),
  'RST_STREAM twice': posted('6.4', 'alive', (s) => [reset(s), reset(s)]),
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
  'DATA with nothing but padding': posted('6.1', '+0: 200 "POST / 0"; alive', (s) => [
    frame(Type.DATA, PADDED, s, Buffer.from([3, 0, 0, 0])),
    data(s, '', END_STREAM),
    { answered: s },
  ]),
  'DATA with padding as long as the frame': posted('6.1', PROTOCOL_ERROR, (s) => [frame(Type.DATA, PADDED, s, [2, 0])]),
  'DATA without the length of its padding': posted('6.1', PROTOCOL_ERROR, (s) => [frame(Type.DATA, PADDED, s)]),
  'HEADERS with padding and priority': example('6.2', ANSWERED, (s, random) => {
    const padding = random(100);
    const block = [padding, ...uint32(random(2) * 2 ** 31), random(256), ...get(), ...Buffer.alloc(padding)];
    return [headers(s, block, END_HEADERS | END_STREAM | PADDED | PRIORITY), { answered: s }];
  }),
  'HEADERS with padding longer than the frame': example('6.2', PROTOCOL_ERROR, (s) => [
    headers(s, [200, ...get()], END_HEADERS | END_STREAM | PADDED),
  ]),
  'HEADERS too short for their priority': example('6.2', PROTOCOL_ERROR, (s) => [
    headers(s, [0, 0, 0], END_HEADERS | END_STREAM | PRIORITY),
  ]),
  trailers: trailed('+0: 200 "POST / 1"; alive', TRAILER),
  'trailers without an end': trailed(RESET, TRAILER, END_HEADERS),
  'trailers with a pseudo-header': trailed(RESET, literal(':path', '/')),
  'trailers with a connection header': trailed(RESET, literal('connection', 'close')),
  'a content-length that is the length': measured('+0: 200 "POST / 3"; alive', ['3']),
  'less than the content-length': measured(RESET, ['3'], 'ab'),
  'more than the content-length': measured(RESET, ['3'], 'abcd'),
  'a content-length without a body': example('8.1.1', RESET, (s) => [headers(s, [...post(), ...literal('content-length', '3')])]),
  'less than the content-length, with trailers': example('8.1.1', RESET, (s) => [
    headers(s, [...post(), ...literal('content-length', '3')], END_HEADERS),
    data(s, 'ab'),
    headers(s, TRAILER),
  ]),
  'two content-lengths that differ': measured(RESET, ['3', '4']),
  'two content-lengths that agree': measured('+0: 200 "POST / 3"; alive', ['3', '3']),
  'a content-length that is no number': measured(RESET, ['3x']),
  'a content-length with a sign': measured(RESET, ['+3']),
  'a negative content-length': measured(RESET, ['-3']),
  'a content-length of 2^64': measured(RESET, ['18446744073709551616']),
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

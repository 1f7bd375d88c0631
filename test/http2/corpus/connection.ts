import {
  ACK, continuation, data, END_HEADERS, END_STREAM, frame, get, goaway, headers, MAX_FRAME, ping, post, PREFACE, priority, reset, settings, Type, uint32, windowUpdate,
} from '../../support/http2-frames.js'; // prettier-ignore
import { ANSWERED, FRAME_SIZE_ERROR, PROTOCOL_ERROR } from '../outcomes.js';
import { type Examples, example } from '../sequence.js';

const bare = (section: string, outcome: string, steps: Parameters<typeof example>[2]) => ({
  ...example(section, outcome, steps),
  bare: true,
});

/** Prefaces, frame formats, settings, pings and GOAWAY: everything that concerns the connection as a whole. */
export const CONNECTION: Examples = {
  'the preface is HTTP/1.1': bare('3.4', PROTOCOL_ERROR, () => [Buffer.from('GET / HTTP/1.1\r\nHost: test\r\n\r\n')]),
  'the preface ends wrongly': bare('3.4', PROTOCOL_ERROR, () => [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r!'), settings([])]),
  'the first frame is no SETTINGS': bare('3.4', PROTOCOL_ERROR, () => [PREFACE, ping()]),
  'the first frame is a request': bare('3.4', PROTOCOL_ERROR, (s) => [PREFACE, headers(s, get())]),
  'the first frame is an ACK of settings': bare('3.4', PROTOCOL_ERROR, () => [PREFACE, settings([], ACK), settings([])]),
  'preface, settings and request come in one piece': bare('3.4', ANSWERED, (s) => [
    Buffer.concat([PREFACE, settings([]), headers(s, get())]),
    { answered: s },
  ]),
  'settings come twice before anything else': bare('3.4', ANSWERED, (s) => [
    Buffer.concat([PREFACE, settings([]), settings([]), headers(s, get())]),
    { answered: s },
  ]),
  'a DATA frame is longer than allowed': example('4.2', FRAME_SIZE_ERROR, (s) => [
    headers(s, post(), END_HEADERS),
    data(s, Buffer.alloc(MAX_FRAME + 1)),
  ]),
  'a HEADERS frame is longer than allowed': example('4.2', FRAME_SIZE_ERROR, (s) => [headers(s, Buffer.alloc(MAX_FRAME + 1))]),
  'a frame announces 16 MiB': example('4.2', FRAME_SIZE_ERROR, () => [frame(Type.PING, 0, 0, [], 2 ** 24 - 1)]),
  'an unknown frame is longer than allowed': example('4.2', FRAME_SIZE_ERROR, () => [frame(0x77, 0, 0, Buffer.alloc(MAX_FRAME + 1))]),
  'a DATA frame is as long as allowed': example('4.2', '+0: 200 "POST / 16384"; alive', (s) => [
    headers(s, post(), END_HEADERS),
    data(s, Buffer.alloc(MAX_FRAME), END_STREAM),
    { answered: s },
  ]),
  'unknown frames on connection and stream': example('4.1', ANSWERED, (s, random) => [
    frame(0x20 + random(200), random(256), 0, Buffer.alloc(random(100))), frame(0x20 + random(200), random(256), s, Buffer.alloc(random(100))), headers(s, get()), { answered: s },
  ]), // prettier-ignore
  'the reserved bit of a stream is set': example('4.1', ANSWERED, (s) => [headers(s + 2 ** 31, get()), { answered: s }]),
  'flags without a meaning are set': example('4.1', ANSWERED, (s) => [
    ping(0xfe),
    headers(s, get(), END_HEADERS | END_STREAM | (0xd2 & 0x92)),
    { answered: s },
  ]),
  'DATA on the connection': example('6.1', PROTOCOL_ERROR, () => [data(0, 'x')]),
  'HEADERS on the connection': example('6.2', PROTOCOL_ERROR, () => [headers(0, get())]),
  'PRIORITY on the connection': example('6.3', PROTOCOL_ERROR, () => [priority(0, 1)]),
  'a PRIORITY of four bytes': example('6.3', FRAME_SIZE_ERROR, (s) => [priority(s, 0, 4)]),
  'a PRIORITY of six bytes on an open stream': example('6.3', FRAME_SIZE_ERROR, (s) => [
    headers(s, post(), END_HEADERS),
    frame(Type.PRIORITY, 0, s, Buffer.alloc(6)),
  ]),
  'a PRIORITY of an idle stream': example('6.3', ANSWERED, (s) => [priority(s + 20, s), headers(s, get()), { answered: s }]),
  'a stream that depends on itself by PRIORITY': example('5.3.1', PROTOCOL_ERROR, (s) => [priority(s, s)]),
  'a stream that depends on itself by HEADERS': example('5.3.1', PROTOCOL_ERROR, (s) => [
    headers(s, [...uint32(s), 5, ...get()], END_HEADERS | END_STREAM | 32),
  ]),
  'a circle of dependencies': example('5.3.1', ANSWERED, (s) => [
    priority(s, s + 2),
    priority(s + 2, s + 4),
    priority(s + 4, s),
    headers(s, get()),
    { answered: s },
  ]),
  'RST_STREAM on the connection': example('6.4', PROTOCOL_ERROR, () => [reset(0)]),
  'an RST_STREAM of three bytes': example('6.4', FRAME_SIZE_ERROR, (s) => [
    headers(s, post(), END_HEADERS),
    frame(Type.RST_STREAM, 0, s, [0, 0, 0]),
  ]),
  'SETTINGS on a stream': example('6.5', PROTOCOL_ERROR, (s) => [settings([], 0, s)]),
  'SETTINGS of five bytes': example('6.5', FRAME_SIZE_ERROR, () => [frame(Type.SETTINGS, 0, 0, Buffer.alloc(5))]),
  'an ACK of settings with content': example('6.5', FRAME_SIZE_ERROR, () => [settings([[1, 1]], ACK)]),
  'an ACK of settings that were not sent': example('6.5', 'alive', () => [settings([], ACK), settings([], ACK)]),
  'ENABLE_PUSH of 2': example('6.5.2', PROTOCOL_ERROR, () => [settings([[2, 2]])]),
  'ENABLE_PUSH of 1': example('6.5.2', 'alive', () => [settings([[2, 1]])]),
  'an INITIAL_WINDOW_SIZE beyond the largest': example('6.5.2', 'GOAWAY FLOW_CONTROL_ERROR; closed', (_s, random) => [
    settings([[4, 2 ** 31 + random(2 ** 31)]]),
  ]),
  'a MAX_FRAME_SIZE below the least': example('6.5.2', PROTOCOL_ERROR, (_s, random) => [settings([[5, random(MAX_FRAME)]])]),
  'a MAX_FRAME_SIZE beyond the largest': example('6.5.2', PROTOCOL_ERROR, (_s, random) => [settings([[5, 2 ** 24 + random(1000)]])]),
  'settings that nobody knows': example('6.5.2', 'alive', (_s, random) => [settings([[0, 0], [0xf000 + random(1000), random(1000)], [9, 1]])]), // prettier-ignore
  'the same setting several times': example('6.5.3', ANSWERED, (s) => [settings([[4, 0], [4, 5], [4, 1000]]), headers(s, get()), { answered: s }]), // prettier-ignore
  'MAX_CONCURRENT_STREAMS and MAX_HEADER_LIST_SIZE of 0': example('6.5.2', ANSWERED, (s) => [settings([[3, 0], [6, 0]]), headers(s, get()), { answered: s }]), // prettier-ignore
  'PUSH_PROMISE from a client': example('8.4', PROTOCOL_ERROR, (s) => [frame(Type.PUSH_PROMISE, END_HEADERS, s, [...uint32(2), ...get()])]),
  'a PING on a stream': example('6.7', PROTOCOL_ERROR, (s) => [ping(0, s)]),
  'a PING of seven bytes': example('6.7', FRAME_SIZE_ERROR, () => [ping(0, 0, 7)]),
  'an ACK of a PING that was not sent': example('6.7', 'alive', () => [ping(ACK)]),
  'GOAWAY on a stream': example('6.8', PROTOCOL_ERROR, (s) => [frame(Type.GOAWAY, 0, s, Buffer.alloc(8))]),
  'a GOAWAY of seven bytes': example('6.8', FRAME_SIZE_ERROR, () => [frame(Type.GOAWAY, 0, 0, Buffer.alloc(7))]),
  'a GOAWAY with data, then a request': example('6.8', ANSWERED, (s) => [
    frame(Type.GOAWAY, 0, 0, Buffer.alloc(500)),
    headers(s, get()),
    { answered: s },
  ]),
  'a GOAWAY with an error, then a request': example('6.8', ANSWERED, (s) => [goaway(0, 11), headers(s, get()), { answered: s }]),
  'GOAWAYs whose last stream grows': example('6.8', ANSWERED, (s) => [goaway(1), goaway(2 ** 31 - 1), headers(s, get()), { answered: s }]),
  'WINDOW_UPDATE of three bytes': example('6.9', FRAME_SIZE_ERROR, () => [frame(Type.WINDOW_UPDATE, 0, 0, [0, 0, 1])]),
  'CONTINUATION of nothing': example('6.10', PROTOCOL_ERROR, (s) => [continuation(s, get())]),
  'CONTINUATION on the connection': example('6.10', PROTOCOL_ERROR, (s) => [headers(s, get(), END_STREAM), continuation(0, [])]),
  'CONTINUATION of another stream': example('6.10', PROTOCOL_ERROR, (s) => [headers(s, get(), END_STREAM), continuation(s + 2, [])]),
  'CONTINUATION behind the end of headers': example('6.10', PROTOCOL_ERROR, (s) => [headers(s, post(), END_HEADERS), continuation(s, [])]),
  'another frame within a header block': example('6.10', PROTOCOL_ERROR, (s) => [headers(s, get(), END_STREAM), ping()]),
  'an unknown frame within a header block': example('5.5', PROTOCOL_ERROR, (s) => [headers(s, get(), END_STREAM), frame(0x77, 0, 0)]),
  'WINDOW_UPDATE within a header block': example('6.10', PROTOCOL_ERROR, (s) => [headers(s, get(), END_STREAM), windowUpdate(s, 1)]),
  PRIORITY_UPDATE: example('9218-7.1', ANSWERED, (s) => [
    frame(Type.PRIORITY_UPDATE, 0, 0, [...uint32(s), ...Buffer.from('u=1')]),
    headers(s, get()),
    { answered: s },
  ]),
  'PRIORITY_UPDATE on a stream': example('9218-7.1', 'alive', (s) => [
    frame(Type.PRIORITY_UPDATE, 0, s, [...uint32(s), ...Buffer.from('u=1')]),
  ]),
  'PRIORITY_UPDATE of two bytes': example('9218-7.1', 'alive', () => [frame(Type.PRIORITY_UPDATE, 0, 0, [0, 0])]),
};

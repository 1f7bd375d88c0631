import {
  continuation,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  get,
  goaway,
  headers,
  HTTPS,
  indexedLiteral,
  ping,
  post,
  priority,
  reset,
  settings,
  Type,
  windowUpdate,
} from '../../support/http2-frames.js';
import { CALM_DOWN, FRAME_SIZE_ERROR, PROTOCOL_ERROR } from '../outcomes.js';
import { type Example, type Examples, example } from '../sequence.js';

const COUNT = 12_000;
const STREAMS = 1500;

/** `count` frames as one piece. */
function times(count: number, frames: (at: number) => readonly Buffer[]): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, at) => frames(at)).flat());
}

/** Frames on a new stream each. */
function onStreams(section: string, outcome: string, frames: (stream: number) => readonly Buffer[]): Example {
  return example(section, outcome, (s) => [times(STREAMS, (at) => frames(s + 2 * at))]);
}

const EXAMPLES: Examples = {
  'CVE-2023-44487: rapid reset': onStreams('10.5', CALM_DOWN, (s) => [headers(s, get()), reset(s)]),
  'CVE-2025-8671: made to reset by windows beyond the largest': onStreams('10.5', CALM_DOWN, (s) => [
    headers(s, post(), END_HEADERS),
    windowUpdate(s, 2 ** 31 - 1),
  ]),
  'CVE-2025-8671: made to reset by windows of 0': onStreams('10.5', PROTOCOL_ERROR, (s) => [
    headers(s, post(), END_HEADERS),
    windowUpdate(s, 0),
  ]),
  'CVE-2025-8671: made to reset by DATA behind the end': onStreams('10.5', CALM_DOWN, (s) => [headers(s, get('/hold')), data(s, 'x')]),
  'CVE-2025-8671: made to reset by HEADERS behind the end': onStreams('10.5', CALM_DOWN, (s) => [
    headers(s, get('/hold')),
    headers(s, get('/hold')),
  ]),
  'CVE-2025-8671: made to reset by PRIORITY of a wrong length': onStreams('10.5', FRAME_SIZE_ERROR, (s) => [
    headers(s, get()),
    priority(s, 0, 4),
  ]),
  'CVE-2025-8671: made to reset by malformed requests': onStreams('10.5', CALM_DOWN, (s) => [headers(s, [HTTPS])]),
  'CVE-2024-27316: CONTINUATION frames without an end': example('10.5', CALM_DOWN, (s) => [
    headers(s, get(), END_STREAM),
    times(1000, () => [continuation(s, Buffer.alloc(100, 0x82), 0)]),
  ]),
  'CVE-2024-28182: empty CONTINUATION frames without an end': example('10.5', CALM_DOWN, (s) => [
    headers(s, get(), END_STREAM),
    times(COUNT, () => [continuation(s, [], 0)]),
  ]),
  'CVE-2023-45288: CONTINUATION frames behind the limit of headers': example('10.5', CALM_DOWN, (s) => [
    headers(s, get(), END_STREAM), times(80, () => [continuation(s, Buffer.alloc(16_000, 0x82), 0)]),
  ]), // prettier-ignore
  'CVE-2016-6581: an HPACK bomb': example('10.5.1', 'alive', (s) => [
    headers(s, [...get(), ...indexedLiteral('a', 'x'.repeat(4000)), ...Buffer.alloc(10_000, 0xbe)]), { answered: s },
  ]), // prettier-ignore
  'CVE-2019-9511: an answer in steps of one byte': example('10.5', CALM_DOWN, (s) => [
    settings([[4, 1]]), headers(s, get('/large')), times(COUNT, () => [windowUpdate(s, 1)]), reset(s),
  ]), // prettier-ignore
  'CVE-2019-9512: PINGs': example('10.5', CALM_DOWN, () => [times(COUNT, () => [ping()])]),
  'CVE-2019-9513: PRIORITY': example('10.5', CALM_DOWN, (s) => [
    times(COUNT, (at) => [priority(s + 2 * (at % 100), s + 2 * ((at + 1) % 100))]),
  ]),
  'CVE-2019-9514: malformed requests, for their resets': onStreams('10.5', CALM_DOWN, (s) => [headers(s, [0x82])]),
  'CVE-2019-9515: SETTINGS': example('10.5', CALM_DOWN, () => [times(COUNT, () => [settings([])])]),
  'CVE-2019-9516: headers without names': example('10.5', 'alive', (s) => [
    headers(s, [...get(), ...times(500, () => [Buffer.from([0, 0, 0])])]),
    { answered: s },
  ]),
  'CVE-2019-9518: empty DATA': example('10.5', CALM_DOWN, (s) => [headers(s, post(), END_HEADERS), times(COUNT, () => [data(s, '')])]),
  'CVE-2019-9518: empty HEADERS': example('10.5', CALM_DOWN, (s) => [
    headers(s, [], END_STREAM),
    times(COUNT, () => [continuation(s, [], 0)]),
  ]),
  'CVE-2015-8659: streams that depend on each other': example('10.5', 'alive', (s) => [
    times(100, (at) => [priority(s + 2 * at, s + 2 * (at + 1))]), headers(s, get()), { answered: s }, times(100, (at) => [priority(s, s + 2 * (100 - at))]),
  ]), // prettier-ignore
  'CVE-2023-35945: a reset, then GOAWAY': example('10.5', 'alive', (s) => [headers(s, post(), END_HEADERS), reset(s), goaway(s)]),
  'CVE-2020-11080: SETTINGS with thousands of entries': example('10.5', CALM_DOWN, () => [
    settings(Array.from({ length: 2400 }, () => [3, 1] as const)),
  ]),
  'more settings than there are in one frame': example('10.5', CALM_DOWN, () => [
    settings(Array.from({ length: 33 }, () => [3, 1] as const)),
  ]),
  'HEADER_TABLE_SIZE up and down': example('10.5', 'alive', (s) => [
    times(200, (at) => [settings([[1, (at % 2) * 4096]])]),
    headers(s, get()),
    { answered: s },
  ]),
  'unknown frames': example('10.5', CALM_DOWN, () => [times(COUNT, () => [frame(0x77, 0, 0)])]),
  'WINDOW_UPDATEs of the connection': example('10.5', CALM_DOWN, () => [times(COUNT, () => [windowUpdate(0, 1)])]),
  GOAWAYs: example('10.5', CALM_DOWN, () => [times(COUNT, () => [frame(Type.GOAWAY, 0, 0, Buffer.alloc(8))])]),
  'ACKs of PINGs': example('10.5', CALM_DOWN, () => [times(COUNT, () => [ping(1)])]),
  'more streams than allowed': example('5.1.2', 'open', (s) => [times(101, (at) => [headers(s + 2 * at, post(), END_HEADERS)])]),
};

/** Published attacks on HTTP/2 servers, as listed in decision 17. They end their own connection or cost nothing. */
export const FLOODS: Examples = Object.fromEntries(Object.entries(EXAMPLES).map(([name, each]) => [name, { ...each, brief: true }]));

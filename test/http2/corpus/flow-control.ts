import {
  data,
  DEFAULT_WINDOW,
  END_HEADERS,
  END_STREAM,
  frame,
  get,
  headers,
  MAX_FRAME,
  MAX_WINDOW,
  PADDED,
  post,
  reset,
  settings,
  Type,
  windowUpdate,
} from '../../support/http2-frames.js';
import { ANSWERED, PROTOCOL_ERROR } from '../outcomes.js';
import { type Examples, type Step, example } from '../sequence.js';

const FULL = Buffer.alloc(MAX_FRAME, 'x');

/** A body of `bytes` bytes, as frames. */
function body(stream: number, bytes: number): Step[] {
  const frames = Array.from({ length: Math.floor(bytes / MAX_FRAME) }, () => data(stream, FULL));
  return [Buffer.concat([...frames, data(stream, FULL.subarray(0, bytes % MAX_FRAME))])];
}

/** Windows of streams and connections (sections 5.2 and 6.9). */
export const FLOW_CONTROL: Examples = {
  'an answer within the windows': example('5.2.1', '+0: 200 100000 bytes; alive', (s) => [
    windowUpdate(0, 1_000_000),
    settings([[4, 1_000_000]]),
    headers(s, get('/large')),
    { answered: s },
  ]),
  'an answer in windows of some bytes': example('5.2.1', ANSWERED, (s, random) => [
    settings([[4, 5 + random(5)]]),
    headers(s, get()),
    ...Array.from({ length: 5 }, () => windowUpdate(s, 2)),
    { answered: s },
    settings([[4, 1000]]),
  ]),
  'an answer that begins with a window of 0': example('6.9.2', ANSWERED, (s) => [
    settings([[4, 0]]),
    headers(s, get()),
    settings([[4, 100]]),
    { answered: s },
  ]),
  'an answer whose window becomes negative': example('6.9.2', '+0: 200 100000 bytes; alive', (s) => [
    windowUpdate(0, 1_000_000), settings([[4, 50_000]]), headers(s, get('/large')), settings([[4, 0]]), windowUpdate(s, 60_000), windowUpdate(s, 60_000), { answered: s }, settings([[4, 1000]]),
  ]), // prettier-ignore
  'WINDOW_UPDATE of 0 on the connection': example('6.9', PROTOCOL_ERROR, () => [windowUpdate(0, 0)]),
  'WINDOW_UPDATE of 0 on a stream': example('6.9', PROTOCOL_ERROR, (s) => [headers(s, post(), END_HEADERS), windowUpdate(s, 0)]),
  'WINDOW_UPDATE with the reserved bit': example('6.9', ANSWERED, (s) => [
    headers(s, get()),
    windowUpdate(0, 2 ** 31 + 1),
    { answered: s },
  ]),
  'a window of the connection beyond the largest': example('6.9.1', 'GOAWAY FLOW_CONTROL_ERROR; closed', () => [
    windowUpdate(0, MAX_WINDOW),
  ]),
  'a window of a stream beyond the largest': example('6.9.1', '+0: RST FLOW_CONTROL_ERROR; alive', (s) => [
    headers(s, post(), END_HEADERS),
    windowUpdate(s, MAX_WINDOW),
  ]),
  'windows of streams beyond the largest by settings': example('6.9.2', 'GOAWAY FLOW_CONTROL_ERROR; closed', (s) => [
    headers(s, post(), END_HEADERS), windowUpdate(s, MAX_WINDOW - DEFAULT_WINDOW), settings([[4, DEFAULT_WINDOW + 1]]),
  ]), // prettier-ignore
  'the largest window of both': example('6.9.1', '+0: 200 100000 bytes; alive', (s) => [
    windowUpdate(0, MAX_WINDOW - DEFAULT_WINDOW),
    settings([[4, MAX_WINDOW]]),
    headers(s, get('/large')),
    { answered: s },
  ]),
  'a body that fills its window': example('5.2', '+0: 200 "POST / 65535"; alive', (s) => [
    headers(s, post(), END_HEADERS),
    ...body(s, DEFAULT_WINDOW),
    data(s, '', END_STREAM),
    { answered: s },
  ]),
  'a body beyond its window that nobody reads': example('6.9.1', '+0: RST FLOW_CONTROL_ERROR; alive', (s) => [
    headers(s, post('/hold'), END_HEADERS),
    ...body(s, 70_000),
  ]),
  'a WINDOW_UPDATE of a request without a body': example('6.9', ANSWERED, (s) => [headers(s, get()), windowUpdate(s, 1), { answered: s }]),
  'padding counts towards the window': example('6.9.1', '+0: 200 "POST / 3000"; alive', (s) => [
    headers(s, post(), END_HEADERS), ...Array.from({ length: 30 }, () => frame(Type.DATA, PADDED, s, Buffer.concat([Buffer.from([255]), Buffer.alloc(355)]))), data(s, '', END_STREAM), { answered: s },
  ]), // prettier-ignore
  'DATA for streams that were reset does not close the window of the connection': example('5.2', '+0: RST STREAM_CLOSED; +2: RST STREAM_CLOSED; +4: RST STREAM_CLOSED; +6: RST STREAM_CLOSED; +8: RST STREAM_CLOSED; +10: RST STREAM_CLOSED; +12: RST STREAM_CLOSED; +14: RST STREAM_CLOSED; +16: RST STREAM_CLOSED; +18: RST STREAM_CLOSED; +20: 200 "POST / 60000"; alive', (s) => [
    ...Array.from({ length: 10 }, (_, at): Step[] => [headers(s + 2 * at, post(), END_HEADERS), reset(s + 2 * at), ...body(s + 2 * at, 60_000)]).flat(),
    headers(s + 20, post(), END_HEADERS), ...body(s + 20, 60_000), data(s + 20, '', END_STREAM), { answered: s + 20 },
  ]), // prettier-ignore
};

import fc from 'fast-check';
import { GET, Http2Client as Client, POST, settle } from '../../../test/support/http2-client.js';
import { data, END_HEADERS, END_STREAM, frame, headers, literal, PREFACE, uint32 } from '../../../test/support/http2-frames.js';
import { answer, echo } from '../../../test/support/http2-handlers.js';
import { ErrorCode, FrameType, MAX_PAYLOAD_BYTES, settingsFrame, windowUpdateFrame } from './frames.js';

const stray = headers(1, POST, END_HEADERS);
const FATAL: Record<string, [code: number, ...bytes: Buffer[]]> = {
  'a frame before the settings': [ErrorCode.PROTOCOL_ERROR, PREFACE, frame(FrameType.PING, 0, 0, Buffer.alloc(8))],
  'another protocol': [ErrorCode.PROTOCOL_ERROR, Buffer.from('GET / HTTP/1.1\r\n')],
  'a frame that is too long': [ErrorCode.FRAME_SIZE_ERROR, frame(FrameType.DATA, 0, 1, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))],
  'data on an idle stream': [ErrorCode.PROTOCOL_ERROR, data(1, Buffer.from('x'))],
  'headers on an even stream': [ErrorCode.PROTOCOL_ERROR, headers(2, GET)],
  'a stream with a smaller number': [ErrorCode.PROTOCOL_ERROR, headers(5, GET), headers(3, GET)],
  'headers on a closed stream': [ErrorCode.STREAM_CLOSED, headers(1, GET), frame(FrameType.RST_STREAM, 0, 1, uint32(8)), headers(1, GET)],
  'padding beyond the frame': [ErrorCode.PROTOCOL_ERROR, stray, frame(FrameType.DATA, 8, 1, [5, 0])],
  'another frame within headers': [ErrorCode.PROTOCOL_ERROR, headers(1, GET, 0), frame(FrameType.PING, 0, 0, Buffer.alloc(8))],
  'a continuation without headers': [ErrorCode.PROTOCOL_ERROR, frame(FrameType.CONTINUATION, END_HEADERS, 1, GET)],
  'headers in endless frames': [ErrorCode.ENHANCE_YOUR_CALM, headers(1, GET, 0), ...Array.from({ length: 70 }, () => frame(9, 0, 1))],
  'headers that are too large': [
    ErrorCode.ENHANCE_YOUR_CALM,
    headers(1, GET, 0),
    frame(9, 0, 1, Buffer.alloc(16_000)),
    frame(9, 0, 1, Buffer.alloc(16_000)),
  ],
  'headers that cannot be decoded': [ErrorCode.COMPRESSION_ERROR, headers(1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
  'a push by the client': [ErrorCode.PROTOCOL_ERROR, frame(FrameType.PUSH_PROMISE, 0, 1, Buffer.alloc(4))],
  'a reset of an idle stream': [ErrorCode.PROTOCOL_ERROR, frame(FrameType.RST_STREAM, 0, 1, uint32(8))],
  'a ping on a stream': [ErrorCode.PROTOCOL_ERROR, frame(FrameType.PING, 0, 1, Buffer.alloc(8))],
  'a short ping': [ErrorCode.FRAME_SIZE_ERROR, frame(FrameType.PING, 0, 0, Buffer.alloc(7))],
  'settings of an invalid length': [ErrorCode.FRAME_SIZE_ERROR, frame(FrameType.SETTINGS, 0, 0, Buffer.alloc(5))],
  'an acknowledgement of settings with content': [ErrorCode.FRAME_SIZE_ERROR, frame(FrameType.SETTINGS, 1, 0, Buffer.alloc(6))],
  'an initial window above the maximum': [ErrorCode.FLOW_CONTROL_ERROR, settingsFrame([[4, 2 ** 31]])],
  'a push setting of 2': [ErrorCode.PROTOCOL_ERROR, settingsFrame([[2, 2]])],
  'a maximum frame size below the minimum': [ErrorCode.PROTOCOL_ERROR, settingsFrame([[5, 100]])],
  'too many settings': [ErrorCode.ENHANCE_YOUR_CALM, settingsFrame(Array.from({ length: 33 }, () => [4, 1] as const))],
  'a window update of zero': [ErrorCode.PROTOCOL_ERROR, windowUpdateFrame(0, 0)],
  'a window above the maximum': [ErrorCode.FLOW_CONTROL_ERROR, windowUpdateFrame(0, 2 ** 31 - 1)],
  'windows of streams above the maximum': [
    ErrorCode.FLOW_CONTROL_ERROR,
    headers(1, GET),
    windowUpdateFrame(1, 2 ** 31 - 65_536),
    settingsFrame([[4, 65_537]]),
  ],
  'a stream that depends on itself': [ErrorCode.PROTOCOL_ERROR, frame(FrameType.PRIORITY, 0, 1, [0, 0, 0, 1, 0])],
  'a flood of pings': [ErrorCode.ENHANCE_YOUR_CALM, ...Array.from({ length: 12_000 }, () => frame(FrameType.PING, 1, 0, Buffer.alloc(8)))],
  'a flood of priorities': [
    ErrorCode.ENHANCE_YOUR_CALM,
    ...Array.from({ length: 12_000 }, () => frame(FrameType.PRIORITY, 0, 1, Buffer.alloc(5))),
  ],
  'a flood of settings': [ErrorCode.ENHANCE_YOUR_CALM, ...Array.from({ length: 12_000 }, () => settingsFrame([]))],
  'a flood of unknown frames': [ErrorCode.ENHANCE_YOUR_CALM, ...Array.from({ length: 12_000 }, () => frame(77, 0, 0))],
  'a flood of empty data': [ErrorCode.ENHANCE_YOUR_CALM, stray, ...Array.from({ length: 12_000 }, () => data(1, Buffer.alloc(0)))],
  'a flood of resets': [
    ErrorCode.ENHANCE_YOUR_CALM,
    ...flood((stream) => [headers(stream, GET), frame(FrameType.RST_STREAM, 0, stream, uint32(8))]),
  ],
  'a flood of malformed requests': [ErrorCode.ENHANCE_YOUR_CALM, ...flood((stream) => [headers(stream, [0x82])])],
  'a flood of windows above the maximum': [
    ErrorCode.ENHANCE_YOUR_CALM,
    ...flood((stream) => [headers(stream, GET), windowUpdateFrame(stream, 2 ** 31 - 1)]),
  ],
};

function flood(frames: (stream: number) => readonly Buffer[]): Buffer[] {
  return Array.from({ length: 1500 }, (_, at) => frames(2 * at + 1)).flat();
}

test.each(Object.entries(FATAL))('%s ends the connection', async (name, [code, ...bytes]) => {
  const client = new Client();
  if (!['another protocol', 'a frame before the settings'].includes(name)) client.begin();
  client.send(...bytes);
  await settle(20);
  expect(client.goaways).toEqual([code]);
  expect(client.socket.readableEnded).toBe(true);
  expect(client.closed).toBe(client.responses.length);
});

const { PROTOCOL_ERROR, STREAM_CLOSED, FLOW_CONTROL_ERROR, ENHANCE_YOUR_CALM, REFUSED_STREAM } = ErrorCode;
const MALFORMED: Record<string, [code: number, ...bytes: Buffer[]]> = {
  'a name in upper case': [PROTOCOL_ERROR, headers(1, [...GET, ...literal('Accept', 'a')])],
  'a name that is not a token': [PROTOCOL_ERROR, headers(1, [...GET, ...literal('a b', 'a')])],
  'a line break in a value': [PROTOCOL_ERROR, headers(1, [...GET, ...literal('a', 'a\r\nb')])],
  'a connection header of HTTP/1.1': [PROTOCOL_ERROR, headers(1, [...GET, ...literal('connection', 'close')])],
  'a te header other than trailers': [PROTOCOL_ERROR, headers(1, [...GET, ...literal('te', 'gzip')])],
  'an unknown pseudo-header': [PROTOCOL_ERROR, headers(1, [...GET, ...literal(':x', 'a')])],
  'a pseudo-header of responses': [PROTOCOL_ERROR, headers(1, [...GET, 0x88])],
  'a pseudo-header after a header': [PROTOCOL_ERROR, headers(1, [...literal('a', 'a'), ...GET])],
  'a repeated pseudo-header': [PROTOCOL_ERROR, headers(1, [...GET, 0x84])],
  'no method': [PROTOCOL_ERROR, headers(1, GET.slice(1))],
  'a method that is not a token': [PROTOCOL_ERROR, headers(1, [...literal(':method', 'a b'), ...GET.slice(1)])],
  'no scheme': [PROTOCOL_ERROR, headers(1, [0x82, 0x84])],
  'no path': [PROTOCOL_ERROR, headers(1, [0x82, 0x87])],
  'an invalid path': [PROTOCOL_ERROR, headers(1, [0x82, 0x87, ...literal(':path', 'x')])],
  'CONNECT with a path': [PROTOCOL_ERROR, headers(1, [...literal(':method', 'CONNECT'), ...GET.slice(1)])],
  'user information in the authority': [PROTOCOL_ERROR, headers(1, [0x82, 0x87, 0x84, ...literal(':authority', 'a@x')])],
  CONNECT: [PROTOCOL_ERROR, headers(1, [...literal(':method', 'CONNECT'), 0x41, 1, 120])],
  'two content-lengths': [
    PROTOCOL_ERROR,
    headers(1, [...POST, ...literal('content-length', '1'), ...literal('content-length', '2')], END_HEADERS),
  ],
  'a content-length that is not a number': [PROTOCOL_ERROR, headers(1, [...POST, ...literal('content-length', '1x')], END_HEADERS)],
  'a content-length without a body': [PROTOCOL_ERROR, headers(1, [...POST, ...literal('content-length', '1')])],
  'a body shorter than its content-length': [
    PROTOCOL_ERROR,
    headers(1, [...POST, ...literal('content-length', '2')], END_HEADERS),
    data(1, Buffer.from('x'), END_STREAM),
  ],
  'a body longer than its content-length': [
    PROTOCOL_ERROR,
    headers(1, [...POST, ...literal('content-length', '2')], END_HEADERS),
    data(1, Buffer.from('xxx')),
  ],
  'trailers without END_STREAM': [PROTOCOL_ERROR, stray, headers(1, literal('a', 'a'), END_HEADERS)],
  'trailers with a pseudo-header': [PROTOCOL_ERROR, stray, headers(1, [0x82])],
  'data after the end of the stream': [STREAM_CLOSED, headers(1, GET), data(1, Buffer.from('x'))],
  'a window above the maximum': [FLOW_CONTROL_ERROR, headers(1, GET), windowUpdateFrame(1, 2 ** 31 - 1)],
  'too many headers': [ENHANCE_YOUR_CALM, headers(1, [...GET, ...Array.from({ length: 60 }, () => literal('a', 'a')).flat()])],
};

test.each(Object.entries(MALFORMED))('%s resets the stream, and the connection continues', async (_, [code, ...bytes]) => {
  const client = new Client().begin().send(...bytes, headers(101, GET));
  await settle();
  expect([client.resets, client.goaways]).toEqual([[[1, code]], []]);
  client.responses.at(-1)!.writeHead(200).end('fine');
  await settle();
  expect(client.body).toBe('fine');
});

test('streams beyond the limit are refused', async () => {
  const client = new Client().begin().send(...Array.from({ length: 12 }, (_, at) => headers(2 * at + 1, GET)));
  await settle();
  expect(client.resets).toEqual([21, 23].map((stream) => [stream, REFUSED_STREAM]));
});

test('no input from a client throws, and every response is closed in the end', async () => {
  const type = fc.integer({ min: 0, max: 10 });
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(GET, POST, uint32(1), uint32(2 ** 31 - 1), []).map((bytes) => Uint8Array.from(bytes)),
  );
  const anyFrame = fc.tuple(type, fc.constantFrom(0, 1, 4, 5, 8, 12, 13, 32, 36, 37), fc.integer({ min: 0, max: 9 }), payload);
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame, { maxLength: 25 }), fc.boolean(), async (list, reads) => {
      const client = new Client(reads ? echo : answer).begin();
      client.send(...list.map(([of, flags, stream, bytes]) => frame(of, flags, stream, Buffer.from(bytes))));
      await settle(6);
      client.connection.socket.destroy();
      await settle(3);
      expect(client.closed).toBe(client.responses.length);
    }),
    { numRuns: 300 },
  );
});

import fc from 'fast-check';
import {
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  GET,
  headers,
  Http2Client as Client,
  literal,
  POST,
  PREFACE,
  settle,
  uint32,
} from '../../../test/support/http2-client.js';
import { MOST_PIECES } from '../connections/turn-limit.js';
import { ErrorCode } from './error-code.js';
import { FrameType, MAX_PAYLOAD_BYTES, settingsFrame, windowUpdateFrame } from './frames.js';
import { HeaderDecoder } from './hpack/header-decoder.js';
import { HeaderEncoder } from './hpack/header-encoder.js';
import type { OnHttp2Request } from './http2-connection.js';
import type { BodyOutcome } from '../exchange/raw-exchange.js';

const answer: OnHttp2Request = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end('hello');
};

const echo: OnHttp2Request = (request, response) => request.collect(100_000, (body) => response.writeHead(200).end(String(body)));

describe('an exchange', () => {
  test('sends headers and data, then closes the response', async () => {
    const client = new Client(answer).begin().send(headers(1, GET));
    await settle();
    const [head] = client.of(FrameType.HEADERS);
    const fields = new HeaderDecoder({ bytes: 9999, fields: 99 }).decode(head!.payload)!.map(({ name, value }) => [name, value]);
    expect(fields).toEqual([
      [':status', '200'],
      ['date', expect.any(String)],
      ['content-type', 'text/plain'],
    ]);
    expect(client.of(FrameType.DATA)).toMatchObject([{ flags: END_STREAM, stream: 1 }]);
    expect([client.body, client.closed, client.responses[0]!.writableFinished, client.connection.isIdle]).toEqual(['hello', 1, true, true]);
    expect(client.requests[0]).toMatchObject({ method: 'GET', url: '/', headers: { ':authority': 'x' }, complete: true });
  });

  test('accepts a body in any number of pieces, with padding and trailers', async () => {
    const client = new Client(echo).begin();
    const padded = frame(FrameType.DATA, 8, 1, [3, ...Buffer.from('ab'), 0, 0, 0]);
    client.send(headers(1, POST, END_HEADERS), padded, data(1, Buffer.from('cd')), headers(1, literal('x-sum', '1')));
    await settle();
    expect(client.body).toBe('abcd');
    expect(client.requests[0]!.headers['x-sum']).toBeUndefined();
  });

  test('reads frames that arrive byte by byte', async () => {
    const client = new Client(echo);
    const bytes = Buffer.concat([PREFACE, settingsFrame([]), headers(1, POST, END_HEADERS), data(1, Buffer.alloc(300, 'x'), END_STREAM)]);
    for (const byte of bytes) client.socket.write(Buffer.from([byte]));
    await settle(400);
    expect(client.body).toBe('x'.repeat(300));
  });

  test('joins repeated list headers but not single-valued ones', async () => {
    const client = new Client(answer).begin();
    const twice = [
      ...literal('accept', 'a'),
      ...literal('accept', 'b'),
      ...literal('authorization', 'a'),
      ...literal('authorization', 'b'),
    ];
    client.send(headers(1, [...GET, ...twice, ...literal('cookie', 'a=1'), ...literal('cookie', 'b=2')]));
    await settle();
    expect(client.requests[0]!.headers).toMatchObject({ accept: 'a, b', authorization: 'a', cookie: 'a=1; b=2' });
    expect(client.requests[0]!.rawHeaders.slice(-12)).toEqual([
      'accept',
      'a',
      'accept',
      'b',
      'authorization',
      'a',
      'authorization',
      'b',
      'cookie',
      'a=1',
      'cookie',
      'b=2',
    ]);
  });

  test('keeps the first value of any other repeated header, like upstream', async () => {
    const client = new Client(answer).begin();
    client.send(
      headers(1, [...GET, ...literal('audit-id', 'a'), ...literal('audit-id', 'b'), ...literal('x-any', '1'), ...literal('x-any', '2')]),
    );
    await settle();
    expect(client.requests[0]!.headers).toMatchObject({ 'audit-id': 'a', 'x-any': '1' });
    expect(client.requests[0]!.rawHeaders).toHaveLength(16);
  });

  test('sends no body in a response to HEAD', async () => {
    const block = [...literal(':method', 'HEAD'), ...GET.slice(1)];
    const renamed: OnHttp2Request = (request, response) => answer(Object.assign(request, { method: 'GET' }), response);
    const client = new Client(renamed).begin().send(headers(1, block));
    await settle();
    expect(client.of(FrameType.HEADERS)).toMatchObject([{ flags: END_HEADERS | END_STREAM }]);
    expect([client.of(FrameType.DATA).length, client.closed]).toEqual([0, 1]);
  });

  test('sends 100 Continue to a client that waits for it', async () => {
    const client = new Client(echo).begin().send(headers(1, [...POST, ...literal('expect', '100-continue')], END_HEADERS));
    await settle();
    const [head] = client.of(FrameType.HEADERS);
    expect(new HeaderDecoder({ bytes: 9999, fields: 9 }).decode(head!.payload)).toMatchObject([{ name: ':status', value: '100' }]);
    client.send(data(1, Buffer.from('x'), END_STREAM));
    await settle();
    expect(client.body).toBe('x');
  });

  test('resets the stream without an error if the response is complete before the request', async () => {
    const client = new Client(answer).begin().send(headers(1, POST, END_HEADERS));
    await settle();
    expect(client.resets).toEqual([[1, ErrorCode.NO_ERROR]]);
    client.send(data(1, Buffer.from('late'), END_STREAM), headers(3, GET));
    await settle();
    expect([client.resets.length, client.goaways, client.closed]).toEqual([1, [], 2]);
  });
});

describe('flow control', () => {
  test('sends no more than the windows of the stream and the connection allow', async () => {
    const text = Buffer.alloc(200_000, 'x');
    const client = new Client((_, response) => void response.writeHead(200).end(text)).begin([[4, 100_000]]).send(headers(1, GET));
    await settle();
    expect(client.body).toHaveLength(65_535);
    client.send(windowUpdateFrame(0, 1_000_000));
    await settle();
    expect(client.body).toHaveLength(100_000);
    client.send(settingsFrame([[4, 150_000]]));
    await settle();
    expect(client.body).toHaveLength(150_000);
    client.send(windowUpdateFrame(1, 50_000));
    await settle();
    expect([client.body.length, client.closed]).toEqual([200_000, 1]);
  });

  test('gives every response its turn', async () => {
    const client = new Client().begin([[4, 2 ** 31 - 1]]).send(headers(1, GET), headers(3, GET));
    await settle();
    for (const response of client.responses) response.writeHead(200).flushHeaders();
    // The connection's window is used up.
    client.responses[0]!.write(Buffer.alloc(65_535));
    for (const response of client.responses) response.end(Buffer.alloc(1_000_000));
    await settle();
    client.frames.length = 0;
    client.send(windowUpdateFrame(0, 10 * MAX_PAYLOAD_BYTES));
    await settle();
    expect(client.of(FrameType.DATA).map(({ stream }) => stream)).toEqual([1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
  });

  test('returns window for a body that is read, and stops a body that is not', async () => {
    const outcomes: BodyOutcome[] = [];
    const client = new Client((request) => request.stream === 1 && request.collect(1_000_000, (outcome) => outcomes.push(outcome))).begin();
    const piece = Buffer.alloc(MAX_PAYLOAD_BYTES, 'x');
    client.send(headers(1, POST, END_HEADERS), headers(3, POST, END_HEADERS));
    for (let i = 0; i < 40; i++) client.send(data(1, piece, i === 39 ? END_STREAM : 0));
    await settle(40);
    expect((outcomes[0] as Buffer).length).toBe(40 * MAX_PAYLOAD_BYTES);
    for (let i = 0; i < 4; i++) client.send(data(3, piece));
    await settle();
    expect(client.resets).toEqual([[3, ErrorCode.FLOW_CONTROL_ERROR]]);
  });

  test('accepts 256 KiB of all bodies of a connection at a time, and returns window at half of that', async () => {
    const client = new Client().begin();
    const windows = () =>
      client
        .of(FrameType.WINDOW_UPDATE)
        .filter(({ stream }) => stream === 0)
        .map(({ payload }) => payload.readUInt32BE(0));
    await settle();
    expect(windows()).toEqual([256 * 1024 - 65_535]);
    const piece = Buffer.alloc(MAX_PAYLOAD_BYTES, 'x');
    const streams = [1, 3, 5];
    client.send(
      ...streams.flatMap((stream) => [headers(stream, POST, END_HEADERS), data(stream, piece), data(stream, piece), data(stream, piece)]),
    );
    await settle();
    expect(windows()).toEqual([256 * 1024 - 65_535, 9 * MAX_PAYLOAD_BYTES]);
  });

  test('stops reading a body that exceeds its limit', async () => {
    const outcomes: BodyOutcome[] = [];
    const client = new Client((request) => request.collect(10, (outcome) => outcomes.push(outcome))).begin();
    client.send(headers(1, POST, END_HEADERS), data(1, Buffer.alloc(11)));
    await settle();
    expect(outcomes).toEqual(['too large']);
  });
});

describe('a stream that ends early', () => {
  test('notifies the handler and the reader of the body', async () => {
    const outcomes: BodyOutcome[] = [];
    const client = new Client((request) => request.collect(10, (outcome) => outcomes.push(outcome))).begin();
    client.send(headers(1, POST, END_HEADERS), frame(FrameType.RST_STREAM, 0, 1, uint32(8)));
    await settle();
    const [response] = client.responses;
    expect([outcomes, client.closed, response!.destroyed, response!.writableFinished]).toEqual([['gone'], 1, true, false]);
    response!.writeHead(200).end('late');
    response!.flushHeaders();
    await settle();
    expect(client.of(FrameType.HEADERS)).toEqual([]);
  });

  test('is reset if the server aborts it', async () => {
    const client = new Client((_, response) => response.writeHead(200).write('half')).begin().send(headers(1, GET));
    await settle();
    client.responses[0]!.destroy();
    await settle();
    expect([client.resets, client.closed]).toEqual([[[1, ErrorCode.INTERNAL_ERROR]], 1]);
  });

  test('is closed once when its connection ends', async () => {
    const client = new Client((_, response) => response.writeHead(200).write('half')).begin().send(headers(1, GET), headers(3, GET));
    await settle();
    client.socket.destroy();
    client.connection.socket.destroy();
    await settle();
    expect(client.closed).toBe(2);
  });
});

describe('a graceful end of a connection', () => {
  test('waits for the streams in progress and accepts no others', async () => {
    const client = new Client().begin().send(headers(1, GET));
    await settle();
    client.connection.leave();
    client.send(headers(3, GET));
    await settle();
    expect([client.goaways, client.resets]).toEqual([[ErrorCode.NO_ERROR], [[3, ErrorCode.REFUSED_STREAM]]]);
    client.responses[0]!.writeHead(200).end('last');
    await settle();
    expect([client.body, client.socket.readableEnded]).toEqual(['last', true]);
  });
});

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

test('a header block longer than a frame is continued', async () => {
  const long = 'x'.repeat(40_000);
  const client = new Client((_, response) => void response.writeHead(200, { warning: long }).end()).begin().send(headers(1, GET));
  await settle();
  const block = Buffer.concat([...client.of(FrameType.HEADERS), ...client.of(FrameType.CONTINUATION)].map(({ payload }) => payload));
  expect(new HeaderDecoder({ bytes: 99_999, fields: 9 }).decode(block)!.at(-1)!.value).toBe(long);
  expect(new HeaderEncoder().encode(200, {})).toHaveLength(1);
});

describe('thousands of requests at once', () => {
  const STREAMS = 3000;
  const streamAt = (at: number) => 2 * at + 1;
  const many = () => Buffer.concat(Array.from({ length: STREAMS }, (_, at) => headers(streamAt(at), GET)));
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** The largest growth of a figure between two samples; a sample may fall between the end of one turn and the beginning of the next. */
  async function mostPerTurn(figure: () => number): Promise<number> {
    let most = 0;
    for (let before = figure(); before < STREAMS; before = figure()) {
      await turn();
      most = Math.max(most, figure() - before);
    }
    return most;
  }

  test('are started over many turns, and all are answered', async () => {
    const client = new Client(answer, { limits: { maxStreams: STREAMS } }).begin().send(many());
    expect(await mostPerTurn(() => client.requests.length)).toBeLessThanOrEqual(2 * MOST_PIECES);
    await settle();
    expect(client.closed).toBe(STREAMS);
  });

  test('are started over many turns when each arrives in pieces', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin();
    const bytes = many();
    for (let at = 0; at < bytes.length; at += 7) client.send(bytes.subarray(at, at + 7));
    expect(await mostPerTurn(() => client.requests.length)).toBeLessThanOrEqual(2 * MOST_PIECES);
    expect(client.requests.map(({ stream }) => stream)).toEqual(Array.from({ length: STREAMS }, (_, at) => streamAt(at)));
  });

  test('are ended over many turns when their connection ends', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin().send(many());
    await mostPerTurn(() => client.requests.length);
    client.connection.socket.destroy();
    expect(await mostPerTurn(() => client.closed)).toBeLessThanOrEqual(2 * MOST_PIECES);
    expect([client.connection.isIdle, client.ledger.streams]).toEqual([true, 0]);
  });

  test('an error in a waiting request is reported when its turn comes', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin().send(many(), headers(2, GET));
    await mostPerTurn(() => client.requests.length);
    await settle();
    expect(client.goaways).toEqual([ErrorCode.PROTOCOL_ERROR]);
  });
});

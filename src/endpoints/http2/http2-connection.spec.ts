import { GET, Http2Client as Client, POST, settle } from '../../../test/support/http2-client.js';
import { data, END_HEADERS, END_STREAM, frame, headers, literal, PREFACE, uint32 } from '../../../test/support/http2-frames.js';
import { answer, echo } from '../../../test/support/http2-handlers.js';
import { MAX_PIECES } from '../connections/work-turns.js';
import { ErrorCode, FrameType, MAX_PAYLOAD_BYTES, settingsFrame, windowUpdateFrame } from './frames.js';
import { HeaderDecoder } from './hpack/header-decoder.js';
import { HeaderEncoder } from './hpack/header-encoder.js';
import type { OnHttp2Request } from './http2-connection.js';
import type { BodyOutcome } from '../exchange/raw-exchange.js';

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
  async function maxPerTurn(figure: () => number): Promise<number> {
    let most = 0;
    for (let before = figure(); before < STREAMS; before = figure()) {
      await turn();
      most = Math.max(most, figure() - before);
    }
    return most;
  }

  test('are started over many turns, and all are answered', async () => {
    const client = new Client(answer, { limits: { maxStreams: STREAMS } }).begin().send(many());
    expect(await maxPerTurn(() => client.requests.length)).toBeLessThanOrEqual(2 * MAX_PIECES);
    await settle();
    expect(client.closed).toBe(STREAMS);
  });

  test('are started over many turns when each arrives in pieces', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin();
    const bytes = many();
    for (let at = 0; at < bytes.length; at += 7) client.send(bytes.subarray(at, at + 7));
    expect(await maxPerTurn(() => client.requests.length)).toBeLessThanOrEqual(2 * MAX_PIECES);
    expect(client.requests.map(({ stream }) => stream)).toEqual(Array.from({ length: STREAMS }, (_, at) => streamAt(at)));
  });

  test('are ended over many turns when their connection ends', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin().send(many());
    await maxPerTurn(() => client.requests.length);
    client.connection.socket.destroy();
    expect(await maxPerTurn(() => client.closed)).toBeLessThanOrEqual(2 * MAX_PIECES);
    expect([client.connection.isIdle, client.ledger.streams]).toEqual([true, 0]);
  });

  test('an error in a waiting request is reported when its turn comes', async () => {
    const client = new Client(undefined, { limits: { maxStreams: STREAMS } }).begin().send(many(), headers(2, GET));
    await maxPerTurn(() => client.requests.length);
    await settle();
    expect(client.goaways).toEqual([ErrorCode.PROTOCOL_ERROR]);
  });
});

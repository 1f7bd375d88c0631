import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { GET, Http2Client as Client, POST, settle } from '../../../test/support/http2-client.js';
import { data, END_HEADERS, END_STREAM, frame, headers, PREFACE, uint32 } from '../../../test/support/http2-frames.js';
import { Held, REQUEST_BYTES } from '../ledger/connection-account.js';
import { MemoryLedger } from '../ledger/memory-ledger.js';
import { ErrorCode, FrameType, settingsFrame } from './frames.js';
import type { OnHttp2Request } from './http2-connection.js';
import type { BodyOutcome } from '../exchange/raw-exchange.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { READS, HEADERS } = Held;
const MIB = 1024 * 1024;

function read(outcomes: BodyOutcome[]): OnHttp2Request {
  return (request) => request.collect(3 * MIB, (outcome) => outcomes.push(outcome));
}

/** Sends bytes as a separate read; returns a weak reference to the memory of that read. */
function sendAsOneRead(client: Client, ...parts: readonly Buffer[]): WeakRef<object> {
  const chunk = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => at + part.copy(chunk, at), 0);
  const memory = new WeakRef(chunk.buffer);
  client.socket.write(chunk);
  return memory;
}

/** Number of those reads that are still in memory. */
async function alive(reads: readonly WeakRef<object>[]): Promise<number> {
  await settle();
  collectGarbage();
  await settle();
  collectGarbage();
  return reads.filter((memory) => memory.deref() !== undefined).length;
}

describe('a read', () => {
  test('is not kept in memory for the small part of it that belongs to a body', async () => {
    const outcomes: BodyOutcome[] = [];
    const client = new Client(read(outcomes)).begin().send(headers(1, POST, END_HEADERS), headers(3, POST, END_HEADERS));
    client.send(frame(FrameType.RST_STREAM, 0, 3, uint32(8)));
    await settle();
    const stray = data(1, Buffer.alloc(0));
    const reads = Array.from({ length: 100 }, () =>
      sendAsOneRead(
        client,
        data(1, Buffer.alloc(64, 'x')),
        frame(FrameType.PING, 1, 0, Buffer.alloc(8)),
        ...Array.from({ length: 100 }, () => stray),
      ),
    );
    // The last one may still be on the stack.
    expect(await alive(reads)).toBeLessThan(5);
    expect(client.ledger.held[READS]).toBeLessThanOrEqual(2 * 6400);
    client.send(data(1, Buffer.alloc(0), END_STREAM));
    await settle();
    expect(String(outcomes.at(-1))).toBe('x'.repeat(6400));
  });

  test('is not kept for an unread body, an incomplete frame or an incomplete header block', async () => {
    const client = new Client().begin().send(headers(1, POST, END_HEADERS), headers(3, POST, END_HEADERS));
    await settle();
    const filler = Array.from({ length: 20 }, () => frame(FrameType.PRIORITY, 0, 1, Buffer.alloc(5)));
    const reads = [
      sendAsOneRead(client, ...filler, data(1, Buffer.alloc(10))),
      sendAsOneRead(client, ...filler, data(3, Buffer.alloc(10))),
      sendAsOneRead(client, ...filler, headers(5, POST.slice(0, 2), 0)),
      sendAsOneRead(client, frame(FrameType.CONTINUATION, 0, 5, POST.slice(2)), frame(FrameType.CONTINUATION, 0, 5).subarray(0, 8)),
    ];
    expect(await alive(reads)).toBeLessThan(2);
    const { held } = client.ledger;
    expect(held[READS]).toBeGreaterThanOrEqual(28);
    expect(held[READS]).toBeLessThanOrEqual(3 * 64);
  });
});

describe('the memory that a request holds', () => {
  test('is charged while the request is in progress, and released afterwards', async () => {
    const outcomes: BodyOutcome[] = [];
    const client = new Client(read(outcomes)).begin();
    client.send(headers(1, POST, END_HEADERS), data(1, Buffer.alloc(1000)), data(1, Buffer.alloc(1000), END_STREAM));
    await settle();
    const { ledger } = client;
    // `:authority: x` is the only entry of the table.
    const table = 32 + 10 + 1;
    expect(ledger.streams).toBe(1);
    expect(ledger.held[HEADERS]).toBe(
      REQUEST_BYTES + table + 4 * 32 + ':method POST :scheme https :path / :authority x'.replaceAll(' ', '').length,
    );
    expect(ledger.held[READS]).toBeGreaterThanOrEqual(2000);
    client.responses[0]!.writeHead(200);
    expect(ledger.held[READS]).toBe(0);
    client.responses[0]!.end();
    await settle();
    expect([ledger.held, ledger.streams]).toEqual([[0, table, 0, 0, 0], 0]);
    client.connection.socket.destroy();
    await settle();
    expect(ledger.total).toBe(0);
  });

  test('excludes its body once a response that does not need the body has begun', async () => {
    const refuse: OnHttp2Request = (_, response) => response.writeHead(401).end('no');
    // The response waits for a window, so the stream stays open.
    const client = new Client(refuse).begin([[4, 0]]).send(headers(1, POST, END_HEADERS));
    for (let sent = 0; sent < 60; sent++) client.send(data(1, Buffer.alloc(1000)));
    await settle();
    expect([client.ledger.streams, client.ledger.held[READS], client.resets]).toEqual([1, 0, []]);
    for (let sent = 0; sent < 10; sent++) client.send(data(1, Buffer.alloc(1000)));
    await settle();
    expect([client.resets, client.ledger.streams]).toEqual([[[1, ErrorCode.FLOW_CONTROL_ERROR]], 0]);
  });

  test('is released when the client resets the request', async () => {
    const client = new Client().begin().send(headers(1, POST, END_HEADERS), data(1, Buffer.alloc(1000)));
    await settle();
    expect(client.ledger.held[READS]).toBe(1000);
    client.send(frame(FrameType.RST_STREAM, 0, 1, uint32(8)));
    await settle();
    expect([client.ledger.held[READS], client.ledger.streams]).toEqual([0, 0]);
  });
});

describe('beyond the limit of a connection', () => {
  const ledger = () => new MemoryLedger({ connection: 3 * REQUEST_BYTES, owner: 0, process: 0 });

  test('requests are reset, and those in progress continue', async () => {
    const client = new Client(undefined, { ledger: ledger() }).begin().send(...[1, 3, 5, 7].map((stream) => headers(stream, GET)));
    await settle();
    expect(client.resets).toEqual([5, 7].map((stream) => [stream, ErrorCode.ENHANCE_YOUR_CALM]));
    for (const response of client.responses) response.writeHead(200).end('fine');
    client.send(headers(9, GET));
    await settle();
    client.responses.at(-1)!.writeHead(200).end('fine');
    await settle();
    expect([client.body, client.goaways]).toEqual(['fine'.repeat(3), []]);
  });

  test('a body resets its request', async () => {
    const client = new Client(undefined, { ledger: ledger() }).begin().send(headers(1, POST, END_HEADERS));
    client.send(data(1, Buffer.alloc(8000)), data(1, Buffer.alloc(8000)));
    await settle();
    expect([client.resets, client.ledger.held[READS]]).toEqual([[[1, ErrorCode.ENHANCE_YOUR_CALM]], 0]);
  });

  test('a header block ends the connection', async () => {
    const client = new Client(undefined, { ledger: ledger() }).begin().send(headers(1, GET, 0), frame(9, 0, 1, Buffer.alloc(15_000)));
    await settle();
    expect([client.goaways, client.ledger.held]).toEqual([[ErrorCode.ENHANCE_YOUR_CALM], [0, 0, 0, 0, 0]]);
  });
});

test('a client that holds more memory than all others together is cut off', async () => {
  const ledger = new MemoryLedger({ connection: 0, owner: 0, process: 40 * REQUEST_BYTES });
  const [greedy, modest] = [new Client(undefined, { ledger, limits: { maxStreams: 100 } }), new Client(undefined, { ledger })];
  modest.begin().send(headers(1, GET));
  greedy.begin().send(...Array.from({ length: 40 }, (_, at) => headers(2 * at + 1, GET)));
  await settle();
  expect([greedy.connection.socket.destroyed, greedy.closed, modest.connection.socket.destroyed]).toEqual([
    true,
    greedy.responses.length,
    false,
  ]);
  expect(ledger.streams).toBe(1);
});

test('data for closed streams counts as a flood', async () => {
  const client = new Client().begin().send(headers(1, POST, END_HEADERS));
  await settle();
  client.responses[0]!.destroy();
  const stray = data(1, Buffer.alloc(64));
  for (let sent = 0; sent < 12; sent++) client.send(...Array.from({ length: 1000 }, () => stray));
  await settle(40);
  expect(client.goaways).toEqual([ErrorCode.ENHANCE_YOUR_CALM]);
});

test('frames and the preface may arrive in pieces of any size', async () => {
  for (const size of [1, 2, 5, 9, 10, 23, 24, 25, 33, 100]) {
    const outcomes: BodyOutcome[] = [];
    const client = new Client(read(outcomes));
    const body = Buffer.from(Array.from({ length: 400 }, (_, at) => at));
    const bytes = Buffer.concat([
      PREFACE,
      settingsFrame([[3, 100]]),
      settingsFrame([]),
      headers(1, POST, 0),
      frame(FrameType.CONTINUATION, END_HEADERS, 1),
      data(1, body.subarray(0, 250)),
      data(1, body.subarray(250), END_STREAM),
    ]);
    for (let at = 0; at < bytes.length; at += size) client.socket.write(Buffer.from(bytes.subarray(at, at + size)));
    await settle(700);
    expect([size, outcomes[0]]).toEqual([size, body]);
    client.responses[0]!.writeHead(200).end();
    await settle();
    expect(client.ledger.held[READS]).toBe(0);
  }
});

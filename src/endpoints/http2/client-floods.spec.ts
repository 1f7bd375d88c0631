import { describe, expect, test } from '@jest/globals';
import { GET, Http2Client as Client, settle } from '../../../test/support/http2-client.js';
import { frame, headers, uint32 } from '../../../test/support/http2-frames.js';
import type { Frame } from './frame-reader.js';
import { ErrorCode, FrameType, settingsFrame, windowUpdateFrame } from './frames.js';
import type { OnHttp2Request } from './http2-connection.js';
import type { Http2Response } from './http2-response.js';

const BODY = Buffer.alloc(1000, 'x');
const STREAMS = 300;

/** Counts how often the windows of responses are read. */
class WindowReads {
  count = 0;

  watch(response: Http2Response): void {
    let { window } = response;
    const get = () => {
      this.count += 1;
      return window;
    };
    Object.defineProperty(response, 'window', { get, set: (value: number) => (window = value) });
  }
}

/** A client with `streams` responses that all wait for a window. */
async function waiting(streams: number, settings: Parameters<typeof settingsFrame>[0]) {
  const reads = new WindowReads();
  const serve: OnHttp2Request = (_, response) => {
    reads.watch(response);
    response.writeHead(200).end(BODY);
  };
  const client = new Client(serve, { limits: { maxStreams: streams } }).begin(settings);
  client.send(...Array.from({ length: streams }, (_, at) => headers(2 * at + 1, GET)));
  await settle(40);
  expect(client.of(FrameType.HEADERS)).toHaveLength(streams);
  reads.count = 0;
  return { client, reads };
}

/** Sends frames that make no response sendable to a client with `streams` waiting responses; returns how often their windows were read. */
async function looks(streams: number, settings: Parameters<typeof settingsFrame>[0], frames: readonly Buffer[]): Promise<number> {
  const { client, reads } = await waiting(streams, settings);
  client.send(...frames);
  await settle(40);
  expect(client.of(FrameType.DATA)).toHaveLength(0);
  expect(client.goaways).toEqual([]);
  return reads.count;
}

describe('the cost of a frame does not grow with the number of waiting responses', () => {
  const times = (count: number, make: (at: number) => readonly Buffer[]) => Array.from({ length: count }, (_, at) => make(at)).flat();
  const cases: Record<string, [settings: Parameters<typeof settingsFrame>[0], frames: readonly Buffer[]]> = {
    'settings that change no window': [[[4, 0]], times(900, () => [settingsFrame([[3, 5]])])],
    'window updates of the connection': [[[4, 0]], times(900, () => [windowUpdateFrame(0, 1)])],
    'window updates of closed streams': [
      [[4, 0]],
      [frame(FrameType.RST_STREAM, 0, 1, uint32(8)), ...times(900, () => [windowUpdateFrame(1, 1)])],
    ],
    pings: [[[4, 0]], times(900, () => [frame(FrameType.PING, 0, 0, Buffer.alloc(8))])],
    priorities: [[[4, 0]], times(900, () => [frame(FrameType.PRIORITY, 0, 1, Buffer.alloc(5))])],
    resets: [[[4, 0]], times(20, (at) => [frame(FrameType.RST_STREAM, 0, 2 * at + 1, uint32(8))])],
  };

  test.each(Object.entries(cases))('%s', async (_, [settings, frames]) => {
    const few = await looks(30, settings, frames);
    const many = await looks(STREAMS, settings, frames);
    // The heap of ten times as many responses is three or four levels deeper.
    expect(many).toBeLessThanOrEqual(4 * few + 20 * frames.length);
    expect(many).toBeLessThan((frames.length * STREAMS) / 10);
  });

  test('a settings frame that changes all windows is cheap while the connection window is shut', async () => {
    const { client, reads } = await waiting(STREAMS, [[4, 0]]);
    // The first response uses up the connection's window.
    client.send(settingsFrame([[4, 65_535]]));
    await settle(40);
    const sent = client.of(FrameType.DATA).length;
    reads.count = 0;
    for (let at = 0; at < 4500; at++) client.send(settingsFrame([[4, at % 2]]));
    await settle(60);
    expect(client.of(FrameType.DATA)).toHaveLength(sent);
    expect(reads.count).toBeLessThan(20_000);
  });

  test('a client that repeatedly makes responses sendable and unsendable is charged for it', async () => {
    const { client, reads } = await waiting(STREAMS, [[4, 0]]);
    // Uses up the connection's window.
    client.send(settingsFrame([[4, 65_535]]));
    await settle(40);
    for (let at = 0; at < 1000; at++) client.send(settingsFrame([[4, 0]]), windowUpdateFrame(0, 1), settingsFrame([[4, 1000]]));
    await settle(60);
    expect(client.goaways).toEqual([ErrorCode.ENHANCE_YOUR_CALM]);
    // About 10,000 frames, each moving 16 responses, times the heap's steps.
    expect(reads.count).toBeLessThan(10_000 * 16 * 20);
  });
});

describe('windows', () => {
  test('are exact for each response after a change of all of them', async () => {
    const { client } = await waiting(3, [[4, 0]]);
    const sent = (stream: number) =>
      client.of(FrameType.DATA).reduce((sum, each) => sum + (each.stream === stream ? each.payload.length : 0), 0);
    const all = () => [sent(1), sent(3), sent(5)];
    client.send(windowUpdateFrame(3, 100), settingsFrame([[4, 50]]));
    await settle();
    expect(all()).toEqual([50, 150, 50]);
    client.send(settingsFrame([[4, 10]]), windowUpdateFrame(1, 40));
    await settle();
    expect(all()).toEqual([50, 150, 50]);
    client.send(windowUpdateFrame(1, 1), settingsFrame([[4, 20]]));
    await settle();
    expect(all()).toEqual([61, 150, 50]);
    client.send(settingsFrame([[4, 5000]]));
    await settle();
    expect([all(), client.closed]).toEqual([[1000, 1000, 1000], 3]);
  });

  test('may be as large as the limit after streams with larger windows have closed', async () => {
    const { client } = await waiting(2, [[4, 0]]);
    client.send(windowUpdateFrame(1, 2 ** 31 - 1));
    await settle();
    client.send(settingsFrame([[4, 2 ** 31 - 1]]));
    await settle();
    expect([client.goaways, client.closed]).toEqual([[], 2]);
  });
});

/** Downloads a response in steps of `window` bytes, updating both windows for each step. */
async function download(window: number, length: number): Promise<Client> {
  const client = new Client((_, response) => void response.writeHead(200).end(Buffer.alloc(length))).begin([[4, window]]);
  let next = 0;
  client.send(headers(1, GET));
  for (let turn = 0; turn < 40_000 && client.closed === 0 && client.goaways.length === 0; turn++) {
    await settle(1);
    const frames: readonly Frame[] = client.frames.slice(next);
    next = client.frames.length;
    const bytes = frames.reduce((sum, { type, payload }) => sum + (type === FrameType.DATA ? payload.length : 0), 0);
    if (bytes > 0) client.send(windowUpdateFrame(0, bytes), windowUpdateFrame(1, bytes));
  }
  return client;
}

describe('a client that takes its response in small steps', () => {
  test.each([32, 63, 128, 255])('receives all of it in steps of %d bytes', async (window) => {
    const client = await download(window, 6000 * window);
    expect([client.goaways, client.closed]).toEqual([[], 1]);
  });

  test('counts as a flood in steps of one byte', async () => {
    const client = await download(1, 12_000);
    expect(client.goaways).toEqual([ErrorCode.ENHANCE_YOUR_CALM]);
  });
});

test('a body may come in small pieces but not in tiny ones', async () => {
  const post = (size: number) => {
    const client = new Client((request, response) => request.collect(3e6, (body) => response.writeHead(200).end(String(body.length))));
    const piece = frame(FrameType.DATA, 0, 1, Buffer.alloc(size));
    client.begin().send(headers(1, [0x83, ...GET.slice(1)], 4), ...Array.from({ length: 12_000 }, () => piece));
    return client.send(frame(FrameType.DATA, 1, 1));
  };
  const [small, tiny] = [post(16), post(1)];
  await settle(60);
  expect([small.goaways, small.body]).toEqual([[], '192000']);
  expect(tiny.goaways).toEqual([ErrorCode.ENHANCE_YOUR_CALM]);
});

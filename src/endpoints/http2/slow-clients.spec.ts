import { duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { jest } from '@jest/globals';
import { accountOf } from '../ledger/memory-ledger.js';
import { settingsFrame, writeFrameHead } from './frames.js';
import { Http2Connection } from './http2-connection.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const LIMITS = { maxStreams: 10, maxHeaderBytes: 20_000, maxHeaders: 50 };
const SECOND = 1000;

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => void jest.useRealTimers());

async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a connection has ended `seconds` after sending these bytes. */
async function isGoneAfter(seconds: number, ...parts: readonly Buffer[]): Promise<boolean> {
  const [server, client] = duplexPair();
  client.resume();
  const socket = server as TLSSocket;
  void new Http2Connection({ socket, account: accountOf(socket), limits: LIMITS, onRequest: () => undefined });
  if (parts.length > 0) client.write(Buffer.concat(parts));
  await settle();
  jest.advanceTimersByTime(seconds * SECOND);
  await settle();
  const { destroyed } = socket;
  socket.destroy();
  return destroyed;
}

/** A HEADERS frame without END_HEADERS. */
function unfinishedHeaders(): Buffer {
  const frame = Buffer.alloc(10);
  writeFrameHead(frame, 0, [1, 1, 0, 1]);
  frame[9] = 0x82;
  return frame;
}

test.each([
  ['nothing', []],
  ['an incomplete preface', [PREFACE.subarray(0, 20)]],
  ['a preface but no settings', [PREFACE]],
])('a connection with %s ends after 10 s', async (_, parts) => {
  expect(await isGoneAfter(9, ...parts)).toBe(false);
  expect(await isGoneAfter(11, ...parts)).toBe(true);
});

test('an unfinished header block ends its connection after 32 s', async () => {
  const parts = [PREFACE, settingsFrame([]), unfinishedHeaders()];
  expect(await isGoneAfter(31, ...parts)).toBe(false);
  expect(await isGoneAfter(33, ...parts)).toBe(true);
});

test('a connection with its settings stays open', async () => {
  expect(await isGoneAfter(80, PREFACE, settingsFrame([]))).toBe(false);
});

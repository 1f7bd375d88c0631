import { type Socket, connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { frame, PREFACE, settings } from '../support/http2-frames.js';
import { openTls } from '../support/open-tls.js';
import type { Random } from './random.js';

/** Hostile behaviour on a separate connection; returns what went wrong for others, or undefined. */
export type Attack = (port: number, random: Random) => Promise<string | undefined>;

const HEAD = 'GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer fuzz-token\r\n';
const POST = 'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer fuzz-token\r\nContent-Type: application/json\r\n';
const SMUGGLED = 'DELETE /api/v1/namespaces/default HTTP/1.1\r\nHost: x\r\nX-Smuggled: 1\r\n\r\n';

/** Requests that two parsers could interpret differently; at most one response may come back. */
const SMUGGLING: readonly string[] = [
  `${POST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `${POST}Content-Length: 5\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
  `${POST}Content-Length: +5\r\n\r\n{}   ${SMUGGLED}`,
  `${POST}Content-Length: -1\r\n\r\n${SMUGGLED}`,
  `${POST}Content-Length: 99999999999999999999\r\n\r\n${SMUGGLED}`,
  `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `${POST}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `${POST}X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`.replace('0\r\n\r\n', ''),
  `${POST}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${SMUGGLED}`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  `${HEAD}X: a\rTransfer-Encoding: chunked\r\n\r\n`,
  `${HEAD}\x00: x\r\n\r\n`,
  `GET / HTTP/1.1\r\n\r\n`,
  `GET / HTTP/9.9\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.0\r\n\r\n`,
  `GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n`,
  `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n`,
  `${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`,
  `${HEAD.replace('/api/v1/namespaces', '/api/v1/namespaces?watch=1&timeoutSeconds=1')}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\xff\xff\xff\xff`,
  `${HEAD}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
  `${POST}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  `${POST}Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}`,
];

async function smuggle(port: number, random: Random): Promise<string | undefined> {
  const shape = random.pick(SMUGGLING);
  const text = await converse(await openTls(port), [Buffer.from(shape, 'latin1')]);
  const answers = text.match(/HTTP\/1\.1 (?!100)\d{3}/g)?.length ?? 0;
  // A second response to a clearly separate request is not one to a smuggled request.
  if (answers > 1) return `${answers} answers to ${JSON.stringify(shape.slice(0, 300))}:\n${text.slice(0, 600)}`;
  return /HTTP\/1\.1 5\d\d/.test(text) ? `${text.slice(0, 300)} to ${JSON.stringify(shape.slice(0, 300))}` : undefined;
}

async function plainTextToTls(port: number): Promise<undefined> {
  await converse(connectTcp(port, '127.0.0.1'), [Buffer.from(`${HEAD}\r\n`)]);
}

async function brokenTls(port: number, random: Random): Promise<undefined> {
  const hello = Buffer.concat([Buffer.from([0x16, 0x03, 0x01, random.below(256), random.below(256)]), random.bytes(random.below(600))]);
  await converse(connectTcp(port, '127.0.0.1'), [hello]);
}

/** Starts a handshake and leaves it, and sends garbage after another one. */
async function garbageAfterTls(port: number, random: Random): Promise<undefined> {
  connectTcp(port, '127.0.0.1').on('error', () => undefined).setTimeout(3000, function (this: Socket) { this.destroy(); }); // prettier-ignore
  for (const protocol of ['http/1.1', 'h2']) await converse(await openTls(port, protocol), [random.bytes(1 + random.below(4000))]);
}

async function slowBody(port: number): Promise<undefined> {
  const parts = [`${POST}Content-Length: 100000\r\n\r\n`, '{"a', '":', '"b'].map((part) => Buffer.from(part));
  await converse(await openTls(port), parts, 100);
}

async function hugeHeaders(port: number): Promise<undefined> {
  const socket = await openTls(port);
  await converse(socket, [Buffer.from(HEAD), ...Array.from({ length: 40 }, (_, i) => Buffer.from(`X-${i}: ${'y'.repeat(32_000)}\r\n`))]);
}

async function resetInTheMiddle(port: number): Promise<undefined> {
  const socket = await openTls(port);
  socket.write(`${POST}Content-Length: 2000000\r\n\r\n${'x'.repeat(70_000)}`);
  await sleep(5);
  socket.destroy();
}

async function pipelined(port: number): Promise<undefined> {
  const socket = await openTls(port);
  socket.write(`${HEAD}\r\n`.repeat(200));
  await sleep(20);
  socket.destroy();
}

/** `:method GET, :scheme https, :path /` of HPACK's static table. */
const HEADERS = Buffer.from([0x82, 0x87, 0x84]);

async function frames(port: number, random: Random): Promise<undefined> {
  const parts = [PREFACE, ...(random.chance(0.8) ? [settings([])] : [])];
  for (let count = random.below(60); count > 0; count -= 1) {
    const payload = random.chance(0.4) ? HEADERS : random.bytes(random.below(40));
    parts.push(frame(random.below(12), random.below(256), random.below(12), payload));
  }
  await converse(await openTls(port, 'h2'), [Buffer.concat(parts)]);
}

/** Writes the parts, reads until silence, closes. */
async function converse(socket: Socket, parts: readonly Buffer[], pauseMs = 0): Promise<string> {
  const heard: Buffer[] = [];
  let last = Date.now();
  let over = false;
  socket.on('data', (chunk: Buffer) => {
    heard.push(chunk);
    last = Date.now();
  });
  socket.on('error', () => (over = true));
  socket.on('close', () => (over = true));
  for (const part of parts) {
    if (over) break;
    socket.write(part);
    last = Date.now();
    if (pauseMs > 0) await sleep(pauseMs);
  }
  while (!over && Date.now() - last < 150) await sleep(10);
  socket.destroy();
  return Buffer.concat(heard).toString('latin1');
}

export const ATTACKS: Readonly<Record<string, Attack>> = {
  smuggle,
  plainTextToTls,
  brokenTls,
  garbageAfterTls,
  slowBody,
  hugeHeaders,
  resetInTheMiddle,
  pipelined,
  frames,
};

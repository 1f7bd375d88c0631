import { once } from 'node:events';
import tls from 'node:tls';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { frame, PREFACE, Type } from '../../support/http2-frames.js';
import { byHttp2Implementation } from '../../support/http2-implementation.js';
import { startTestServer } from '../../support/test-server.js';

/** GET https://x/ */
const GET = [0x82, 0x87, 0x84, 0x41, 1, 120];
const PROTOCOL_ERROR = 1;
const INTERNAL_ERROR = 2;
const ENHANCE_YOUR_CALM = 11;
const COMPRESSION_ERROR = 9;

const log: string[] = [];
const server = forAllTests(() => startTestServer({ log }));
afterEach(async () => {
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
  expect(log).toEqual([]);
});

/** Sends the parts; returns the error code of the GOAWAY that ends the connection. */
async function endOf(...parts: readonly Buffer[]): Promise<number | undefined> {
  const socket = tls.connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(Buffer.concat(parts));
  await once(socket, 'close');
  const heard = Buffer.concat(chunks);
  let code: number | undefined;
  for (let at = 0; at < heard.length; at += 9 + heard.readUIntBE(at, 3)) {
    if (heard[at + 3] === Type.GOAWAY) code = heard.readUInt32BE(at + 13);
  }
  return code;
}

const times = (count: number, each: Buffer) => Array.from({ length: count }, () => each);
const begin = [PREFACE, frame(4, 0, 0)];
/** nghttp2 ends connections at the same points, but Node.js reports a single error code for all of them. */
const code = (own: number) => byHttp2Implementation({ own, node: INTERNAL_ERROR });
/** Node.js closes the connection without a GOAWAY when a client sends PINGs faster than it reads the replies. */
const floodCodes = {
  pings: byHttp2Implementation({ own: ENHANCE_YOUR_CALM, node: undefined }),
  settings: code(ENHANCE_YOUR_CALM),
  priorities: ENHANCE_YOUR_CALM,
};

test('HTTP/1.1 on an HTTP/2 connection ends the connection', async () => {
  expect(await endOf(Buffer.from('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe(code(PROTOCOL_ERROR));
});

test('an endless header block in many frames ends the connection', async () => {
  expect(await endOf(...begin, frame(1, 0, 1, GET), ...times(1000, frame(9, 0, 1)))).toBe(code(ENHANCE_YOUR_CALM));
});

test('a header block that cannot be decoded ends the connection', async () => {
  expect(await endOf(...begin, frame(1, 5, 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))).toBe(COMPRESSION_ERROR);
});

test.each(
  Object.entries({ pings: frame(6, 0, 0, Buffer.alloc(8)), settings: frame(4, 0, 0), priorities: frame(2, 0, 1, Buffer.alloc(5)) }),
)('a flood of %s ends the connection', async (name, each) => {
  expect(await endOf(...begin, ...times(20_000, each))).toBe(floodCodes[name as keyof typeof floodCodes]);
});

test('a header bomb of a few bytes is refused, and the connection stays open', async () => {
  // One header of 4,000 bytes in the dynamic table, and 10,000 references to it.
  const bomb = [0x40, 1, 97, 127, 0xa1, 0x1e, ...Buffer.alloc(4000, 'x'), ...Buffer.alloc(10_000, 0xbe)];
  const bombs = Array.from({ length: 20 }, (_, at) => frame(1, 5, 2 * at + 1, [...GET, ...bomb]));
  expect(await endOf(...begin, ...bombs, frame(0, 0, 0))).toBe(PROTOCOL_ERROR);
});

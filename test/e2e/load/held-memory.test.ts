import { once } from 'node:events';
import type tls from 'node:tls';
import { ask, Http2Client } from '../../support/http-client.js';
import { openTls } from '../../support/open-tls.js';
import { scrape } from '../../support/scrape.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const KIB = 1024;

let server: TestServer;
let sockets: tls.TLSSocket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await server.close();
});

async function connect(): Promise<tls.TLSSocket> {
  const socket = await openTls(server.port);
  sockets.push(socket);
  return socket;
}

const head = (method: string, path: string, ...more: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', 'Authorization: Bearer alice-token', ...more, '', ''].join('\r\n');

/** A value from `/metrics`. */
async function metric(series: string): Promise<number | undefined> {
  const [line] = await scrape(server.url, `${series} `);
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** Waits until a value from `/metrics` satisfies the condition. */
async function until(series: string, holds: (value: number) => boolean): Promise<void> {
  for (;;) {
    const value = await metric(series);
    if (value !== undefined && holds(value)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function answerOf(socket: tls.TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  while (!text.includes('\r\n\r\n')) await once(socket, 'data');
  return text;
}

const LEASE = JSON.stringify({ metadata: { name: 'pieces' }, spec: { holderIdentity: 'x'.repeat(500) } });

test('an HTTP/1.1 body may arrive in one-byte chunks and is charged until the response', async () => {
  server = await startTestServer();
  const socket = await connect();
  const type = 'Content-Type: application/json';
  socket.write(head('POST', LEASES, type, 'Transfer-Encoding: chunked'));
  const chunks = [...Buffer.from(LEASE)].map((byte) => Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
  for (const chunk of chunks) socket.write(chunk);
  await until('coordination_held_bytes{kind="reads"}', (bytes) => bytes >= LEASE.length && bytes <= 2 * LEASE.length);
  socket.write('0\r\n\r\n');
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 201 /);
  await until('coordination_held_bytes{kind="reads"}', (bytes) => bytes === 0);
});

test('pipelined HTTP/1.1 requests are bounded', async () => {
  server = await startTestServer({ settings: { maxHeldBytesPerConnection: 64 * KIB } });
  const socket = await connect();
  const gone = once(socket, 'close');
  socket.write(head('GET', `${LEASES}?watch=1`).repeat(100));
  socket.resume();
  await gone;
  expect(await metric('coordination_client_limits_total{limit="connection_bytes"}')).toBe(1);
  await until('coordination_held_bytes{kind="headers"}', (bytes) => bytes < 16 * KIB);
});

test('the user who holds the most memory is cut off, and others are served', async () => {
  server = await startTestServer({ settings: { maxHeldBytes: 256 * KIB } });
  using bob = new Http2Client(server.url);
  const asBob = { authorization: 'Bearer bob-token' };
  await bob.ask(LEASES, { headers: asBob });
  const hoards = await Promise.all(Array.from({ length: 6 }, connect));
  let cut = 0;
  for (const socket of hoards) {
    socket.on('close', () => (cut += 1));
    socket.write(head('POST', LEASES, 'Content-Type: application/json', 'Content-Length: 60000'));
    socket.write('x'.repeat(50_000));
  }
  await until('coordination_client_limits_total{limit="process_bytes"}', (count) => count > 0);
  expect((await bob.ask(LEASES, { headers: asBob })).status).toBe(200);
  while (cut === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await metric('coordination_held_bytes_largest{of="user"}')).toBeLessThan(256 * KIB);
  expect(await metric('coordination_held_bytes_limit{of="process"}')).toBe(256 * KIB);
});

test('an overlong audit ID is truncated over either protocol', async () => {
  server = await startTestServer();
  const long = { 'audit-id': 'x'.repeat(10_000) };
  using client = new Http2Client(server.url);
  for (const answer of [await ask(`${server.url}/readyz`, { headers: long }), await client.ask('/readyz', { headers: long })]) {
    expect(answer.headers['audit-id']).toBe('x'.repeat(1024));
  }
});

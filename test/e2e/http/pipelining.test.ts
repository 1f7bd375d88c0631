import { once } from 'node:events';
import type tls from 'node:tls';
import { HeldStore } from '../../support/held-store.js';
import { openTls } from '../../support/open-tls.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const HEAD = 'Host: x\r\nAuthorization: Bearer alice-token\r\n';
const BODY = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' }, spec: {} });
const CREATE = `POST ${LEASES} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const GET = `GET ${LEASES} HTTP/1.1\r\n${HEAD}\r\n`;

test('too many pipelined requests end the connection', async () => {
  const store = new HeldStore();
  await using server = await startTestServer({ store, settings: { http2MaxStreamsPerConnection: 10 } });
  const socket = await openTls(server.port);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.write(GET.repeat(5));
  while (heard.split('HTTP/1.1 200 ').length < 6) await once(socket, 'data');
  socket.write(CREATE + GET.repeat(10));
  await once(socket, 'close');
  store.release();
});

/** Resolves with the received text once it contains `count` responses. */
async function answers(socket: tls.TLSSocket, count: number): Promise<string> {
  let heard = '';
  while (heard.split('HTTP/1.1 ').length <= count) heard += String((await once(socket, 'data'))[0]);
  return heard;
}

test('pipelined requests start one after the other and are answered in order', async () => {
  const store = new HeldStore();
  await using server = await startTestServer({ store });
  const socket = await openTls(server.port);
  const other = await openTls(server.port);
  socket.write(CREATE + GET.repeat(50));
  await store.arrived;
  // The server has read all requests by now, but only the first one and this one are in progress.
  other.write(`GET /metrics HTTP/1.1\r\n${HEAD}\r\n`);
  expect(await answers(other, 1)).toMatch(/^apiserver_current_inflight_requests\{request_kind="readOnly"\} [01]$/m);
  store.release();
  const heard = await answers(socket, 51);
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', ...Array<string>(50).fill('HTTP/1.1 200')]);
  for (const each of [socket, other]) each.destroy();
});

test('a WebSocket request after other requests waits for their responses', async () => {
  const store = new HeldStore();
  await using server = await startTestServer({ store });
  const socket = await openTls(server.port);
  const upgrade =
    'Origin: https://x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  socket.write(`${CREATE}GET ${LEASES}?watch=1 HTTP/1.1\r\n${HEAD}${upgrade}\r\n`);
  await store.arrived;
  store.release();
  const heard = await answers(socket, 2);
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 101']);
  socket.destroy();
});

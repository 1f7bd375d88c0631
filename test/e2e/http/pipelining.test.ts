import { once } from 'node:events';
import tls from 'node:tls';
import { HeldStore } from '../../support/held-store.js';
import type { TestServer } from '../../support/test-server.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const HEAD = 'Host: x\r\nAuthorization: Bearer alice-token\r\n';
const BODY = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' }, spec: {} });
const CREATE = `POST ${LEASES} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const GET = `GET ${LEASES} HTTP/1.1\r\n${HEAD}\r\n`;

async function connect(server: TestServer): Promise<tls.TLSSocket> {
  const socket = tls.connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

test('requests beyond the limit of a connection end it', async () => {
  const store = new HeldStore();
  const server = await startTestServer({ store, connections: { maxStreams: 10 } });
  const socket = await connect(server);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.write(GET.repeat(5));
  while (heard.split('HTTP/1.1 200 ').length < 6) await once(socket, 'data');
  socket.write(CREATE + GET.repeat(10));
  await once(socket, 'close');
  store.release();
  await server.close();
});

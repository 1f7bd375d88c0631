import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { WebSocket } from 'ws';
import { forEachTest } from '../../support/for-tests.js';
import { TcpLink } from '../../support/tcp-link.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { metricSum, scrapeUntil } from '../../support/scrape.js';
import { startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const HEADERS = { authorization: 'Bearer alice-token', origin: 'https://127.0.0.1' };
const clientTimeouts = { stallMs: 60_000, silenceMs: 300, pingMs: 300 };

const server = forEachTest(() => startTestServer({ connections: { clientTimeouts } }));
const proxy = forEachTest(() => TcpLink.to(server.port));

const openWatches = () => metricSum(server.url, 'apiserver_longrunning_requests');

async function untilWatches(count: number): Promise<void> {
  while ((await openWatches()) !== count) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function watchOverHttp2(port: number): Promise<{ readonly client: Http2Client; events(): string }> {
  const client = new Http2Client(`https://127.0.0.1:${port}`);
  const stream = client.session.request({ ':path': `${LEASES}?watch=1`, ...HEADERS });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  stream.on('error', () => undefined);
  await once(stream, 'response');
  return { client, events: () => text };
}

async function watchOverWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${LEASES}?watch=1`, { rejectUnauthorized: false, headers: HEADERS });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

test('an HTTP/2 watch whose client vanished silently ends, and an idle watch stays open', async () => {
  const quiet = await watchOverHttp2(server.port);
  const vanishing = await watchOverHttp2(proxy.port);
  expect(await openWatches()).toBe(2);
  proxy.silence();
  await untilWatches(1);
  await scrapeUntil(server.url, 'coordination_client_limits_total{limit="silent"} 1');
  // The same time again, with nothing but pings.
  await new Promise((resolve) => setTimeout(resolve, 2 * (clientTimeouts.silenceMs + clientTimeouts.pingMs)));
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'seen' }, spec: {} };
  await ask(server.url + LEASES, { method: 'POST', body: lease });
  while (!quiet.events().includes('"name":"seen"')) await new Promise((resolve) => setTimeout(resolve, 20));
  quiet.client.close();
  vanishing.client.close();
});

test('a WebSocket watch whose client vanished silently ends, and an idle watch stays open', async () => {
  const quiet = await watchOverWebSocket(server.port);
  const vanishing = await watchOverWebSocket(proxy.port);
  expect(await openWatches()).toBe(2);
  proxy.silence();
  await untilWatches(1);
  await new Promise((resolve) => setTimeout(resolve, 2 * (clientTimeouts.silenceMs + clientTimeouts.pingMs)));
  expect(await openWatches()).toBe(1);
  quiet.terminate();
  vanishing.terminate();
});

const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('TCP itself probes every connection, over HTTP/1.1 as well', async () => {
  const watch = new WatchClient(`${server.url}${LEASES}?watch=1`, 'alice-token');
  await watch.response;
  const local = `0100007F:${server.port.toString(16).toUpperCase().padStart(4, '0')}`;
  const keepaliveTimer = async (): Promise<boolean> => {
    const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
    // Columns: local address, state (1: established), timer (2: keepalive).
    return rows.some(([, address, , state, , timer = '']) => address === local && state === '01' && timer.startsWith('02:'));
  };
  while (!(await keepaliveTimer())) await new Promise((resolve) => setTimeout(resolve, 20));
  watch.abort();
});

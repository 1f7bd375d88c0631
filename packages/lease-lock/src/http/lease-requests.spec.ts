import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../kube-client/src/clock.js';
import { httpsTransport } from '../../../kube-client/src/https-transport.js';
import { LeaseRequests, ServerTime } from './lease-requests.js';

const LEASE = { metadata: { name: 'a', resourceVersion: '5' } };
const signal = new AbortController().signal;

/** How the server answers the next request. */
let answer: (response: http.ServerResponse) => unknown;
let server: http.Server;
let requests: LeaseRequests;
beforeAll(async () => {
  server = http.createServer((_, response) => void answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = httpsTransport({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  requests = new LeaseRequests(transport, 'default', systemClock, new ServerTime(systemClock));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function watched(): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of requests.watch({ name: 'a' }, '1', signal)) events.push(event);
  return events;
}

it('reads leases', async () => {
  answer = (response) => response.end(JSON.stringify(LEASE));
  expect(await requests.get('a', signal)).toEqual(LEASE);
  answer = (response) => response.end(JSON.stringify({ items: [LEASE] }));
  expect(await requests.list('x=y', signal)).toEqual([LEASE]);
  answer = (response) => response.end(`${JSON.stringify({ type: 'ADDED', object: LEASE })}\n`);
  expect(await watched()).toEqual([{ type: 'ADDED', lease: LEASE }]);
});

it.each(['null', '5', '[]', '{}', '{"metadata":null}', '{"metadata":{"name":"a","resourceVersion":"x"}}', '{"items":5}', '{"items":[{}]}'])(
  'takes the success %s for a server that cannot be reached',
  async (text) => {
    answer = (response) => response.end(text);
    const unreachable = { why: 'unreachable' };
    await expect(requests.get('a', signal)).rejects.toMatchObject(unreachable);
    await expect(requests.create(LEASE, signal)).rejects.toMatchObject(unreachable);
    await expect(requests.update(LEASE, signal)).rejects.toMatchObject(unreachable);
    await expect(requests.list('x=y', signal)).rejects.toMatchObject(unreachable);
    answer = (response) => response.end(`{"type":"ADDED","object":${text}}\n`);
    await expect(watched()).rejects.toMatchObject(unreachable);
  },
);

it('ends a watch whose line does not end', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  answer = (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };
  await expect(watched()).rejects.toThrow('the server cannot be reached: a line is longer than');
});

it('ends a watch whose server changes the protocol', async () => {
  answer = (response) => response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  await expect(watched()).rejects.toThrow('the server cannot be reached: the server changes the protocol');
});

it('says in one line that a server without TLS is asked with it', async () => {
  const { port } = server.address() as AddressInfo;
  const secure = new LeaseRequests(
    httpsTransport({ server: `https://127.0.0.1:${port}` }),
    'default',
    systemClock,
    new ServerTime(systemClock),
  );
  await expect(secure.get('a', signal)).rejects.toThrow(/^the server cannot be reached: .*SSL routines:[^\n]*$/);
});

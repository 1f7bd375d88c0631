import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KubeClient } from './kube-client.js';

let server: http.Server;
let client: KubeClient;

beforeAll(async () => {
  server = http.createServer(({ url, headers }, response) => {
    if (url === '/page') return response.end('<html>');
    if (url === '/metrics') return response.setHeader('content-type', 'text/plain; version=0.0.4').end('up 1\n');
    if (url === '/watch') return response.write('{"kind":"Event"}\n');
    return response.writeHead(url === '/gone' ? 404 : 200).end(url === '/gone' ? 'no such path\n' : JSON.stringify(headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new KubeClient({ server: `http://127.0.0.1:${port}/`, authorization: () => 'Bearer t' }, { maxBytes: 10_000 });
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('asks a server without TLS, such as kubectl proxy', async () => {
  expect(await client.ask('GET', '/headers')).toMatchObject({ status: 200, body: { authorization: 'Bearer t' } });
});

it('takes plain text and that of a refusal for its message, and no page for an object', async () => {
  expect(await client.ask('GET', '/metrics')).toEqual({ status: 200, body: { message: 'up 1' } });
  expect(await client.ask('GET', '/gone')).toEqual({ status: 404, body: { message: 'no such path' } });
  await expect(client.ask('GET', '/page')).rejects.toThrow('the response is not JSON');
});

it('ends a watch that is silent for too long', async () => {
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const object of client.watch('/watch', { silenceMs: 100 })) seen.push(object);
  })();
  await expect(watching).rejects.toThrow('cannot reach http://127.0.0.1');
  expect(seen).toEqual([{ kind: 'Event' }]);
});

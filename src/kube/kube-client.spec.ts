import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KubeClient } from './kube-client.js';

const ANSWERS: Readonly<Record<string, (response: http.ServerResponse) => unknown>> = {
  '/page': (response) => response.end('<html>'),
  '/null': (response) => response.end('null'),
  '/items': (response) => response.end('{"items":{"a":1}}'),
  '/text': (response) => response.setHeader('content-type', 'text/plain').end('ok'),
  '/gone': (response) => response.writeHead(404).end('no such path\n'),
  '/refused-at-length': (response) => response.writeHead(403).end('x'.repeat(5000)),
  '/refused': (response) => response.writeHead(403).end('null'),
  '/watch': (response) => response.write('{"kind":"Event"}\n'),
  '/half': (response) => response.write('{"kind":'),
  '/silent': () => undefined,
  '/paused': (response) => response.write('{'),
  '/drip': (response) => drip(response, 200, ' '),
  '/drip-refused': (response) => drip(response, 403, ' '),
  '/drip-watch': (response) => drip(response, 200, '{"kind":"Event"}\n'),
  '/endless': (response) => drip(response, 200, 'x'.repeat(4 * 1024 * 1024)),
  '/long': (response) => response.end(JSON.stringify({ long: 'x'.repeat(10_000) })),
  '/switch': (response) => response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  '/cut': (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
};

/** Sends a piece for as long as the client listens. */
function drip(response: http.ServerResponse, status: number, piece: string): void {
  response.writeHead(status);
  const timer = setInterval(() => response.write(piece), 20);
  response.on('close', () => clearInterval(timer));
}

let server: http.Server;
let url: string;
let client: KubeClient;

beforeAll(async () => {
  server = http.createServer(({ url: path = '', headers }, response) => {
    const answer = ANSWERS[path];
    if (answer) answer(response);
    else response.end(JSON.stringify(headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new KubeClient(
    { server: url.replace('//', '//user:secret@'), authorization: () => 'Bearer t' },
    { maxBytes: 10_000, timeoutMs: 300 },
  );
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function watch(path: string, silenceMs = 100): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const object of client.watch(path, { silenceMs })) seen.push(object);
  return seen;
}

it('asks a server without TLS, such as kubectl proxy', async () => {
  expect(await client.ask('GET', '/headers')).toMatchObject({ status: 200, body: { authorization: 'Bearer t' } });
});

it('reads text where it is asked for', async () => {
  expect(await client.askText('/page')).toEqual({ status: 200, text: '<html>' });
});

it('takes the text of a refusal for its message', async () => {
  expect(await client.ask('GET', '/gone')).toEqual({ status: 404, body: { message: 'no such path' } });
  await expect(watch('/refused')).rejects.toThrow('cannot watch: 403 null');
});

it.each(['/page', '/null', '/text', '/items'])('takes the success %s for no empty list', async (path) => {
  await expect(client.ask('GET', path)).rejects.toThrow('the response is no object of JSON');
  await expect(watch(path)).rejects.toThrow('the response is no object of JSON');
});

it.each([
  ['/silent', 'no answer within 300 ms'],
  ['/paused', 'no answer within 300 ms'],
  ['/switch', 'the server changes the protocol'],
  ['/cut', 'aborted'],
])('says in one line why %s has no answer, and no password', async (path, why) => {
  await expect(client.ask('GET', path)).rejects.toThrow(`cannot reach ${url}: ${why}`);
});

it.each(['/drip', '/drip-refused'])('ends %s, which is never silent and never whole', async (path) => {
  await expect(client.ask('GET', path)).rejects.toThrow(`cannot reach ${url}: no whole answer within 300 ms`);
});

it('reads a watch for longer than an answer may take, but no line without an end', async () => {
  let events = 0;
  for await (const event of client.watch('/drip-watch')) if (event.kind === 'Event' && ++events === 20) break;
  expect(events).toBe(20);
  await expect(watch('/endless', 10_000)).rejects.toThrow(`cannot reach ${url}: a line is longer than`);
});

it('shows the beginning of a long refusal', async () => {
  expect((await client.ask('GET', '/refused-at-length')).body.message).toHaveLength(500);
});

it('reads no more than it may hold', async () => {
  await expect(client.ask('GET', '/long')).rejects.toThrow(`the response of ${url} is too large`);
});

it.each(['/silent', '/watch', '/half'])('ends the watch of %s, which is silent for too long', async (path) => {
  await expect(watch(path)).rejects.toThrow(`cannot reach ${url}: silent for 100 ms`);
});

it('says in one line that Node refuses a token or a certificate', async () => {
  const odd = new KubeClient({ server: url, authorization: () => 'Bearer a\nb' });
  await expect(odd.ask('GET', '/')).rejects.toThrow(`cannot reach ${url}: Invalid character`);
  const bad = new KubeClient({ server: 'https://127.0.0.1:1', cert: 'x', key: 'y' });
  await expect(bad.ask('GET', '/')).rejects.toThrow('cannot reach https://127.0.0.1:1: ');
});

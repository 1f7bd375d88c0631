import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { wholeText } from '../../../kube-client/src/whole-text.js';
import { serverTransport } from './server-transport.js';

const signal = new AbortController().signal;

/** Each token is refused that is not the current one. */
let current = '';
let server: http.Server;
let url: string;
beforeAll(async () => {
  server = http.createServer(({ headers }, response) => {
    response.writeHead(headers.authorization === `Bearer ${current}` ? 200 : 401).end(headers.authorization);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Asks with a token, and after a refusal with the next one, if there is one. */
async function ask(...tokens: string[]): Promise<[status: number, text: string]> {
  let at = 0;
  const refused = () => at < tokens.length - 1 && ++at > 0;
  const send = serverTransport({ server: url, namespace: 'default', token: () => tokens[at] ?? '', refused });
  const response = await send({ method: 'GET', path: '/', signal });
  return [response.status, await wholeText(response)];
}

it('asks again, once, where there may be other credentials', async () => {
  current = 'b';
  expect(await ask('b', 'c')).toEqual([200, 'Bearer b']);
  expect(await ask('a', 'b')).toEqual([200, 'Bearer b']);
  expect(await ask('a')).toEqual([401, 'Bearer a']);
  expect(await ask('a', 'a', 'b')).toEqual([401, 'Bearer a']);
});

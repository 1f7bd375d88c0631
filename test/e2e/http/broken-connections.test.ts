import { once } from 'node:events';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { openTls } from '../../support/open-tls.js';
import { startTestServer } from '../../support/test-server.js';

const AUTHORIZED = 'Host: x\r\nAuthorization: Bearer admin-token\r\n';
const WATCH = `GET /api/v1/namespaces?watch=true&timeoutSeconds=1 HTTP/1.1\r\n${AUTHORIZED}\r\n`;
const GET = `GET /api/v1/namespaces/default HTTP/1.1\r\n${AUTHORIZED}\r\n`;
const UNKNOWN = `FOO /api/v1/namespaces/default HTTP/1.1\r\n${AUTHORIZED}\r\n`;

const server = forAllTests(() => startTestServer());

/**
 * Writes each part after the server has responded to the previous one; returns everything received until the server closes the
 * connection.
 */
async function converse(...parts: readonly string[]): Promise<string> {
  const socket = await openTls(server.port);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  for (const [index, part] of parts.entries()) {
    if (index > 0) await once(socket, 'data');
    socket.write(part);
  }
  await once(socket, 'close');
  return heard;
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('bytes that no HTTP parser accepts', () => {
  afterEach(async () => expect((await ask(`${server.url}/readyz`)).status).toBe(200));

  test('are answered after the responses to the requests before them, and end the connection', async () => {
    expect(statuses(await converse(GET + GET + UNKNOWN))).toEqual([200, 200, 400]);
    expect(statuses(await converse(WATCH, UNKNOWN))).toEqual([200, 405]);
    expect(statuses(await converse(WATCH, 'garbage\r\n\r\n'))).toEqual([200, 400]);
  });

  test('after an unknown method do not change the response to it', async () => {
    expect(statuses(await converse(UNKNOWN + UNKNOWN))).toEqual([405]);
    expect(statuses(await converse(UNKNOWN + GET + UNKNOWN))).toEqual([405]);
  });

  test('in a request body are a 400', async () => {
    const post = `POST /api/v1/namespaces HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`;
    expect(statuses(await converse(post))).toEqual([400]);
  });
});

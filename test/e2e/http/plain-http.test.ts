import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { forAllTests } from '../../support/for-tests.js';
import { startTestServer } from '../../support/test-server.js';

const server = forAllTests(() => startTestServer());

const port = (): number => Number(new URL(server.url).port);

test('a request without TLS gets an explanation, and a browser is redirected', async () => {
  const sent = request({ host: '127.0.0.1', port: port(), path: '/swagger' }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(400);
  expect(await text(answer)).toBe("Client sent an HTTP request to an HTTPS server.\n<script>location.protocol = 'https:'</script>\n");
  if (!answer.socket.destroyed) await once(answer.socket, 'close');
});

test('bytes that are neither HTTP nor TLS get no response', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('\u0001\u0002nonsense nonsense nonsense\r\n\r\n');
  expect(await text(socket).catch(() => '')).not.toContain('HTTP');
});

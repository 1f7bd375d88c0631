import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** What Go's server says, with the way on for a browser, which keeps the path. */
const BODY = `Client sent an HTTP request to an HTTPS server.\n<script>location.protocol = 'https:'</script>\n`;
const ANSWER = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/html; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** Answers requests without TLS at the port for TLS. OpenSSL has read them already, and they are forgotten. */
export function answerPlainHttp(server: Server): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: object) => {
    if (error.code !== 'ERR_SSL_HTTP_REQUEST') return;
    // the connection below TLS, which outlives it
    const { _parent: connection } = socket as { _parent?: Socket | null };
    if (!connection?.writable) return;
    connection.write(ANSWER);
    connection.destroySoon();
  });
}

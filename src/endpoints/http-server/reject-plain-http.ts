import type { Server } from 'node:https';
import { tcpSocketOf } from '../connections/tcp-socket-of.js';

/** The text of Go's server, and a redirect for browsers that keeps the path. */
const BODY = `Client sent an HTTP request to an HTTPS server.\n<script>location.protocol = 'https:'</script>\n`;
const RESPONSE = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/html; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** Sends a 400 to clients that speak plain HTTP at the TLS port. OpenSSL has consumed their request already. */
export function rejectPlainHttp(server: Server): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: object) => {
    if (error.code !== 'ERR_SSL_HTTP_REQUEST') return;
    const connection = tcpSocketOf(socket);
    if (!connection?.writable) return;
    connection.write(RESPONSE);
    connection.destroySoon();
  });
}

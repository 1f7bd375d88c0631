import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ClientConnection } from '../../auth/authentication/authenticator.js';

/** Certificates of one client that are looked at. */
const MAX_CERTIFICATES = 16;

const connections = new WeakMap<object, ClientConnection>();

/** The connection that a request came over; undefined once it is gone. Certificates are read once per connection, when first asked for. */
export function clientConnection(raw: IncomingMessage | Http2ServerRequest): ClientConnection | undefined {
  if (!('stream' in raw)) return connectionOf(raw.socket, raw.socket);
  const session = raw.stream.session as ServerHttp2Session | undefined;
  return session && connectionOf(session, session.socket);
}

/** `key` lives as long as the connection. The socket of an HTTP/2 session is a stand-in that cannot be relied on to be the same. */
function connectionOf(key: object, socket: Socket): ClientConnection {
  let connection = connections.get(key);
  if (!connection) {
    connection = new TlsClientConnection(socket as TLSSocket);
    connections.set(key, connection);
  }
  return connection;
}

class TlsClientConnection implements ClientConnection {
  readonly #socket: TLSSocket;
  #certificates: readonly X509Certificate[] | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  get certificates(): readonly X509Certificate[] {
    return (this.#certificates ??= readCertificates(this.#socket));
  }
}

function readCertificates(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  // Null once the connection is gone, empty without a certificate; the last one is its own issuer.
  let next = socket.getPeerCertificate(true) as DetailedPeerCertificate | null;
  while (next && (next.raw as Buffer | undefined) && certificates.length < MAX_CERTIFICATES) {
    certificates.push(new X509Certificate(next.raw));
    next = next.issuerCertificate === next ? null : next.issuerCertificate;
  }
  return certificates;
}

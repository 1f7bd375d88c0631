import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClientConnection } from '../../auth/authentication/authenticator.js';

/** Limit on the number of certificates read from a client's chain. */
const MAX_CERTIFICATES = 16;

const connections = new WeakMap<object, ClientConnection>();

/** The connection object shared by all requests of a socket. Certificates are read on first use. */
export function clientConnection(socket: Socket): ClientConnection {
  let connection = connections.get(socket);
  if (!connection) {
    connection = new TlsClientConnection(socket as TLSSocket);
    connections.set(socket, connection);
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

/**
 * The certificates in the order in which the client sent them. Reading takes all but the first out of the TLS connection, so it happens
 * once, and Node must not have done it before (NO_VERDICT in secure-context-options.ts).
 */
function readCertificates(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  // Undefined without a certificate, and once the connection is closed.
  let next = socket.getPeerX509Certificate();
  while (next && certificates.length < MAX_CERTIFICATES) {
    certificates.push(next);
    next = next.issuerCertificate;
  }
  return certificates;
}

import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
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

function readCertificates(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  // Null once the connection is closed, and empty without a certificate. The last one is its own issuer.
  let next = socket.getPeerCertificate(true) as DetailedPeerCertificate | null;
  while (next && (next.raw as Buffer | undefined) && certificates.length < MAX_CERTIFICATES) {
    certificates.push(new X509Certificate(next.raw));
    next = next.issuerCertificate === next ? null : next.issuerCertificate;
  }
  return certificates;
}

import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsMaterial } from './tls-material.js';

/**
 * The options of `server.setSecureContext`, which applies to new connections. Renegotiation is off, so that all
 * requests of a connection have the same client certificate. With client certificates there is no session resumption either: OpenSSL
 * keeps the client's own certificate in a session, but not the intermediate ones.
 */
export function secureContextOptions({ key, cert, clientAuthorities, minVersion, ciphers }: TlsMaterial): SecureContextOptions {
  const resumption = clientAuthorities === undefined ? 0 : constants.SSL_OP_NO_TICKET;
  return {
    key,
    cert,
    minVersion: minVersion ?? 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | resumption,
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
  };
}

import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsMaterial } from '../http-application-options.js';

/**
 * What a TLS server is made with, or goes on with for new connections: `server.setSecureContext`. Connections never negotiate anew, so
 * the certificate of a client is the same for all of its requests. Where certificates are asked for, sessions are not resumed: OpenSSL
 * keeps the client's own certificate in them and forgets those between it and its authority.
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

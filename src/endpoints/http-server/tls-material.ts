import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** Injection token of the TlsMaterial. */
export const TLS_MATERIAL = Symbol('TlsMaterial');

/** Keys, certificates and protocol settings of the server's TLS. Certificates and keys are PEM. */
export interface TlsMaterial {
  readonly key: string | Buffer;
  /** The serving certificate with its chain. */
  readonly cert: string | Buffer;
  /** CAs of client certificates; if absent, clients are not asked for one. */
  readonly clientAuthorities?: string;
  /** 1.2 by default. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** An OpenSSL cipher list; Node's default if absent. */
  readonly ciphers?: string;
}

/**
 * A revocation list of an authority that does not exist. With it OpenSSL asks for lists of all authorities and accepts no client's chain
 * during the handshake, which is meant: authentication verifies the chain with each request, for clients and front proxies apart, and it
 * needs the intermediate certificates. Node 24.21 drops them from chains that OpenSSL accepts (onServerSocketSecure calls
 * getPeerX509Certificate, which takes them out of the connection).
 */
const NO_VERDICT = `-----BEGIN X509 CRL-----
MIGEMDgwBQYDK2VwMBExDzANBgNVBAMMBm5vYm9keRcNMjYxMTI3MDQxMTI1WhcN
MzUwMjEzMDQxMTI1WjAFBgMrZXADQQBIYFczD5KuNNVAB81rcjbHDI5LypsZOQLQ
oOota0ouFh9NFiYT0HcHobQLSKUOd1apGLnhf+oCpPtlAdEkU14A
-----END X509 CRL-----
`;

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
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities, crl: NO_VERDICT }),
  };
}

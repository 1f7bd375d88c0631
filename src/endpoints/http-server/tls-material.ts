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

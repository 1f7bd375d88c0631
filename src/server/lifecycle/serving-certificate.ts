import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import type { KeyPair } from '../tls/certificate-authority.js';
import type { ServerSecrets } from '../tls/server-secrets.js';
import { readGivenFile } from './read-given-file.js';

/** The certificate that the server shows. */
export interface ServingCertificate {
  readonly keyPair: KeyPair;
  /** What clients have to trust, as PEM. */
  readonly authorityCert: string;
  /** Reads given files anew. StartError when they do not fit; the certificate is then what it was. */
  reload(): void;
}

/** The certificate to serve with: the given one, else the generated one. StartError when the given files do not fit. */
export function servingCertificate(config: ServerConfig, secrets: ServerSecrets): ServingCertificate {
  if (config.tlsCertFile === '') {
    return { keyPair: secrets.serving, authorityCert: secrets.authority.cert, reload: () => undefined };
  }
  return new GivenCertificate(config);
}

class GivenCertificate implements ServingCertificate {
  readonly #config: ServerConfig;
  keyPair: KeyPair;

  constructor(config: ServerConfig) {
    this.#config = config;
    this.keyPair = readGivenPair(config);
  }

  get authorityCert(): string {
    return this.keyPair.cert;
  }

  reload(): void {
    this.keyPair = readGivenPair(this.#config);
  }
}

/** The pair of `--tls-cert-file` and `--tls-private-key-file`. Throws StartError. */
export function readGivenPair({ tlsCertFile, tlsPrivateKeyFile }: ServerConfig): KeyPair {
  const cert = readGivenFile('--tls-cert-file', tlsCertFile);
  const key = readGivenFile('--tls-private-key-file', tlsPrivateKeyFile);
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new StartError(`cannot use --tls-cert-file and --tls-private-key-file: ${(error as Error).message}`);
  }
  if (!matches) throw new StartError('the key in --tls-private-key-file does not belong to the certificate in --tls-cert-file');
  return { cert, key };
}

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ProcessSettings } from '../config/process.settings.js';
import { StartError } from '../../settings/start-error.js';
import type { KeyPair } from './certificate-authority.js';
import type { ServerSecrets } from './server-secrets.js';
import { readGivenFile } from '../../settings/read-given-file.js';

/** The certificate that the server presents. */
export interface ServingCertificate {
  readonly keyPair: KeyPair;
  /** The authority that clients must trust, as PEM. */
  readonly authorityCert: string;
  /** Reads the configured files again. StartError if they do not match; the certificate then stays as it was. */
  reload(): void;
}

/** The serving certificate: the configured one, otherwise the generated one. StartError if the configured files do not match. */
export function servingCertificate(config: ProcessSettings, secrets: ServerSecrets): ServingCertificate {
  if (config.tlsCertFile === '') {
    return { keyPair: secrets.serving, authorityCert: secrets.authority.cert, reload: () => undefined };
  }
  return new GivenCertificate(config);
}

class GivenCertificate implements ServingCertificate {
  readonly #config: ProcessSettings;
  keyPair: KeyPair;

  constructor(config: ProcessSettings) {
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
export function readGivenPair({ tlsCertFile, tlsPrivateKeyFile }: ProcessSettings): KeyPair {
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

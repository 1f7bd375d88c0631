import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TlsMaterial } from '../../endpoints/http-application-options.js';
import type { ServerConfig } from '../config/server-config.js';
import { StartError } from '../start-error.js';
import type { ServerSecrets } from '../tls/server-secrets.js';
import { readGivenFile } from './read-given-file.js';

export interface ServingMaterial {
  readonly tls: TlsMaterial;
  /** What clients have to trust, as PEM. */
  readonly authorityCert: string;
}

/** The certificate to serve with: the given one, else the generated one. StartError when the given files do not fit. */
export function servingMaterial(config: ServerConfig, secrets: ServerSecrets): ServingMaterial {
  if (config.tlsCertFile === '') return { tls: secrets.serving, authorityCert: secrets.authority.cert };
  const cert = readGivenFile('--tls-cert-file', config.tlsCertFile);
  const key = readGivenFile('--tls-private-key-file', config.tlsPrivateKeyFile);
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new StartError(`cannot use --tls-cert-file and --tls-private-key-file: ${(error as Error).message}`);
  }
  if (!matches) throw new StartError('the key in --tls-private-key-file does not belong to the certificate in --tls-cert-file');
  return { tls: { cert, key }, authorityCert: cert };
}

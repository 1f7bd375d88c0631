import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ProcessSettings } from '../config/process.settings.js';
import { StartError } from '../../settings/start-error.js';
import type { KeyPair } from './certificate-authority.js';
import { readGivenFile } from '../../settings/read-given-file.js';

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

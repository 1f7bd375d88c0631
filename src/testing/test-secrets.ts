import { generateKeyPairSync } from 'node:crypto';
import type { ProcessSettings } from '../server/config/process.settings.js';
import { servingNames } from '../server/tls/certificate-names.js';
import { createServerSecrets } from '../server/tls/server-secrets.js';
import type { LoadedSecrets } from '../server/tls/load-secrets.js';

/** Secrets that no file ever contains. The key of tokens is elliptic, since an RSA key takes longer than all the rest of a start. */
export async function createTestSecrets({ bindAddress, tlsSan }: ProcessSettings): Promise<LoadedSecrets> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secrets = await createServerSecrets(servingNames(bindAddress, tlsSan), Date.now());
  return { ...secrets, serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

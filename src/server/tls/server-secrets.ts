import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificateNames } from './certificate-names.js';
import type { KeyPair } from './certificate-authority.js';

/** The secrets that all servers on one database share: clients trust the authority and know the token, whichever server they reach. */
export interface ServerSecrets {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  readonly adminToken: string;
}

/** A serving certificate is reissued at the first start within this time before it expires. */
const RENEW_BEFORE_MS = 180 * 86_400_000;

export async function createServerSecrets(names: CertificateNames, now: number): Promise<ServerSecrets> {
  // Loaded only on demand: issuing certificates is rare, and the library loads slowly.
  const { createAuthority, issueServingCertificate } = await import('./certificate-authority.js');
  const authority = await createAuthority(now);
  return { authority, serving: await issueServingCertificate(authority, names, now), adminToken: randomBytes(32).toString('base64url') };
}

/**
 * The same secrets with a serving certificate, from the same authority, that covers `names` and does not expire soon: a server on another
 * host, or one started much later, needs its own.
 */
export async function withFittingCertificate(secrets: ServerSecrets, names: CertificateNames, now: number): Promise<ServerSecrets> {
  if (fits(new X509Certificate(secrets.serving.cert), names, now)) return secrets;
  const { issueServingCertificate } = await import('./certificate-authority.js');
  return { ...secrets, serving: await issueServingCertificate(secrets.authority, names, now) };
}

function fits(cert: X509Certificate, names: CertificateNames, now: number): boolean {
  if (cert.validToDate.getTime() - now < RENEW_BEFORE_MS) return false;
  return names.dns.every((name) => cert.checkHost(name) !== undefined) && names.ips.every((ip) => cert.checkIP(ip) !== undefined);
}

/** A new key for signing service accounts' tokens, as PEM: RSA, which every verifier supports. */
export async function createServiceAccountKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificateNames, KeyPair } from './certificate-authority.js';

/** Secrets as they are kept. Without a serving certificate, the authority issues one. */
export interface FoundSecrets {
  readonly authority: KeyPair;
  readonly serving?: KeyPair;
  readonly adminToken: string;
}

/** The secrets that all servers on one database share: clients trust the authority and know the token, whichever server they reach. */
export interface ServerSecrets extends FoundSecrets {
  readonly serving: KeyPair;
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
 * The same secrets with a serving certificate, from the same authority, that is valid now, covers `names` and does not expire soon: a server on
 * another host, or one started much later, needs its own. If the authority is not valid now, because the clock was wrong when it was made, it
 * gets a certificate for its key that is: whoever trusts the earlier one trusts what either issues, as soon as that one is valid.
 */
export async function withFittingCertificate(found: FoundSecrets, names: CertificateNames, now: number): Promise<ServerSecrets> {
  const { authority, serving, adminToken } = found;
  const isAuthorityValid = isValid(authority.cert, now);
  if (isAuthorityValid && serving && fits(new X509Certificate(serving.cert), names, now)) return { ...found, serving };
  const { issueServingCertificate, renewAuthority } = await import('./certificate-authority.js');
  const valid = isAuthorityValid ? authority : await renewAuthority(authority, now);
  return { authority: valid, serving: await issueServingCertificate(valid, names, now), adminToken };
}

/** Whether a certificate is valid at this time. */
function isValid(cert: string, now: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= now && now < validToDate.getTime();
}

function fits(cert: X509Certificate, names: CertificateNames, now: number): boolean {
  if (cert.validFromDate.getTime() > now || cert.validToDate.getTime() - now < RENEW_BEFORE_MS) return false;
  return names.dns.every((name) => cert.checkHost(name) !== undefined) && names.ips.every((ip) => cert.checkIP(ip) !== undefined);
}

/** A new key for signing service accounts' tokens, as PEM: RSA, which every verifier supports. */
export async function createServiceAccountKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

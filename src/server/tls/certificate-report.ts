import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The contents of a certificate. */
export interface CertificateReport {
  /** The file without `.crt`. */
  readonly name: string;
  readonly subject: string;
  readonly issuer: string;
  /** The names and addresses that it covers. */
  readonly names: readonly string[];
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whole days until it expires; negative afterwards. */
  readonly daysLeft: number;
  readonly sha256: string;
}

const DAY_MS = 86_400_000;

/** The certificates of a directory; none if the directory does not exist. */
export function readCertificates(dir: string, now = Date.now()): CertificateReport[] {
  let files: string[];
  try {
    files = readdirSync(dir).filter((file) => file.endsWith('.crt'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return files.sort().map((file) => reportCertificate(path.basename(file, '.crt'), readFileSync(path.join(dir, file)), now));
}

function reportCertificate(name: string, pem: Buffer, now: number): CertificateReport {
  const certificate = new X509Certificate(pem);
  const names = certificate.subjectAltName?.split(', ').map((entry) => entry.replace(/^(DNS|IP Address):/, '')) ?? [];
  return {
    name,
    subject: certificate.subject.replaceAll('\n', ', '),
    issuer: certificate.issuer.replaceAll('\n', ', '),
    names,
    notBefore: certificate.validFromDate.toISOString(),
    notAfter: certificate.validToDate.toISOString(),
    daysLeft: Math.floor((certificate.validToDate.getTime() - now) / DAY_MS),
    sha256: certificate.fingerprint256,
  };
}

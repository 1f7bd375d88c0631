import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../../settings/start-error.js';
import { systemFailure } from '../../settings/given-files.js';

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
  /** Why it cannot be used now, and what to do; undefined for a valid one. */
  readonly problem?: string;
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
  return files.sort().map((file) => readCertificate(path.join(dir, file), now));
}

function readCertificate(file: string, now: number): CertificateReport {
  try {
    return reportCertificate(path.basename(file, '.crt'), readFileSync(file), now);
  } catch (error) {
    throw new StartError(`cannot read the certificate ${file}: ${systemFailure(error)}: ${remedyOf(path.basename(file))}`, {
      cause: error,
    });
  }
}

function remedyOf(name: string): string {
  if (name !== 'apiserver.crt') return 'restore it from a copy';
  return 'stop the server, remove it and apiserver.key, and start the server, which issues both again';
}

/** A start makes again what is not valid, in a directory of certificates that it has made. */
function problemOf(name: string, { validFromDate, validToDate }: X509Certificate, now: number): string | undefined {
  const isAhead = validFromDate.getTime() > now;
  if (!isAhead && validToDate.getTime() > now) return undefined;
  const what = isAhead
    ? `is not valid before ${validFromDate.toISOString()}: the clock of this machine is wrong, or was when it was made`
    : `expired on ${validToDate.toISOString()}`;
  const remedy = 'restart the server, which makes it again';
  return `${what}; ${remedy}${name === 'ca' ? ', and give clients the new kubeconfig' : ''}`;
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
    problem: problemOf(name, certificate, now),
    sha256: certificate.fingerprint256,
  };
}

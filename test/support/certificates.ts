import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its key as PEM, and what is needed to issue others with it. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
  readonly signingKey: webcrypto.CryptoKey;
  readonly x509: X509Certificate;
}

export interface CertificateRequest {
  /** Default: self-signed. */
  readonly issuer?: TestCertificate;
  /** Milliseconds from now. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly usages?: readonly ('clientAuth' | 'serverAuth')[];
  /** For an authority: how many intermediate authorities may follow; null: any number. */
  readonly pathLength?: number | null;
  readonly extensions?: readonly x509.Extension[];
  /** Signs with this certificate's key in place of the issuer's, so that the signature is forged. */
  readonly signWith?: TestCertificate;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR = 3_600_000;

x509.cryptoProvider.set(webcrypto);

/** `subject` is written as in `CN=ann,O=dev,O=ops`, or as JSON of relative names for attributes of other types. */
export async function certificate(subject: string | x509.JsonName, request: CertificateRequest = {}): Promise<TestCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const name = new x509.Name(subject);
  const { issuer, usages, pathLength } = request;
  const extensions = [...(request.extensions ?? [])];
  if (pathLength !== undefined) extensions.push(new x509.BasicConstraintsExtension(true, pathLength ?? undefined, true));
  if (usages) extensions.push(new x509.ExtendedKeyUsageExtension(usages.map((each) => x509.ExtendedKeyUsage[each])));
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8)))
      .toString('hex')
      .replace(/^./, '1'),
    subject: name,
    issuer: issuer ? new x509.Name(issuer.x509.subject.split('\n').join(',')) : name,
    notBefore: new Date(Date.now() + (request.notBefore ?? -HOUR)),
    notAfter: new Date(Date.now() + (request.notAfter ?? HOUR)),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: (request.signWith ?? issuer)?.signingKey ?? keys.privateKey,
    extensions,
  });
  const cert = made.toString('pem') + '\n';
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY') + '\n';
  return { cert, key, subject: made.subject, signingKey: keys.privateKey, x509: new X509Certificate(cert) };
}

/** An authority, self-signed or issued by another one. */
export function authority(name: string, request: CertificateRequest = {}): Promise<TestCertificate> {
  return certificate(`CN=${name}`, { pathLength: null, ...request });
}

/** A client certificate. */
export function clientCertificate(
  issuer: TestCertificate,
  subject: string | x509.JsonName,
  request: CertificateRequest = {},
): Promise<TestCertificate> {
  return certificate(subject, { issuer, usages: ['clientAuth'], ...request });
}

/** An extension by its type and DER. */
export function extension(type: string, critical: boolean, hex: string): x509.Extension {
  return new x509.Extension(type, critical, Buffer.from(hex, 'hex'));
}

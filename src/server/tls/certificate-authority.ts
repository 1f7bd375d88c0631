import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { CertificateNames } from './certificate-names.js';

/** A certificate and its private key as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
/** Clocks differ, and clients reject a certificate that is not valid yet. */
const BACKDATE_MS = 3_600_000;
const CA_DAYS = 3650;
const SERVING_DAYS = 730;
/** P-256: a handshake costs a tenth of RSA's, and every client of the last ten years supports it. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

type PrivateKey = Awaited<ReturnType<typeof importKey>>;
type PublicKey = Awaited<ReturnType<typeof generateKeys>>['publicKey'];

x509.cryptoProvider.set(crypto);

/** A new certificate authority that signs only this project's serving certificates. */
export async function createAuthority(now: number): Promise<KeyPair> {
  const keys = await generateKeys();
  return { cert: await authorityCertificate('CN=coordination-apiserver-ca', keys, now), key: await exportKey(keys.privateKey) };
}

/** A certificate that is valid now for the name and key of an authority. */
export async function renewAuthority({ cert, key }: KeyPair, now: number): Promise<KeyPair> {
  const { subject, publicKey } = new x509.X509Certificate(cert);
  const keys = { publicKey: (await publicKey.export()) as PublicKey, privateKey: await importKey(key) };
  return { cert: await authorityCertificate(subject, keys, now), key };
}

async function authorityCertificate(name: string, keys: { publicKey: PublicKey; privateKey: PrivateKey }, now: number): Promise<string> {
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    ...validity(now, CA_DAYS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pem(cert);
}

/** A serving certificate for `names`, signed by `authority`. */
export async function issueServingCertificate(authority: KeyPair, names: CertificateNames, now: number): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await generateKeys();
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=coordination-apiserver',
    issuer: issuer.subject,
    ...validity(now, SERVING_DAYS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns' as const, value })),
        ...names.ips.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: pem(cert), key: await exportKey(keys.privateKey) };
}

function generateKeys() {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: PrivateKey): Promise<string> {
  const der = await crypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(der, 'PRIVATE KEY') + '\n';
}

function importKey(text: string) {
  const der = x509.PemConverter.decodeFirst(text);
  return crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

function pem(cert: x509.X509Certificate): string {
  return cert.toString('pem') + '\n';
}

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + days * DAY_MS) };
}

/** 127 random bits, so that the number is positive in DER. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1;
  return Buffer.from(bytes).toString('hex');
}

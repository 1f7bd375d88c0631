import 'reflect-metadata';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import * as x509 from '@peculiar/x509';
import { readGivenFile } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import type { ProcessSettings } from '../config/process.settings.js';
import { isWildcard } from '../config/server-address.js';

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

/** The names and addresses that a serving certificate covers. */
export interface CertificateNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/**
 * The names under which clients reach a server: this machine's, and those of the `kubernetes` service, by which clients inside a cluster
 * know their API server (kubeadm adds the same ones to its certificate). `further` adds names that this machine cannot know, of a load
 * balancer or behind address translation.
 */
export function servingNames(bindAddress: string, further: readonly string[] = []): CertificateNames {
  const ips = ['127.0.0.1', '::1', ...(isWildcard(bindAddress) ? [] : [bindAddress]), ...further.filter((name) => isIP(name) !== 0)];
  const host = hostname();
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
  if (isIP(host) === 0 && /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(host)) dns.push(host);
  dns.push(...further.filter((name) => isIP(name) === 0));
  return { dns: [...new Set(dns)], ips: [...new Set(ips)] };
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

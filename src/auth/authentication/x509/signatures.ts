import type { KeyObject } from 'node:crypto';
import { type DerElement, elementAt, readElements, readOid, SEQUENCE } from './der-reader.js';
import type { PublicKeyInfo } from './certificate-fields.js';

/** SHA-256, SHA-384 and SHA-512 with the lengths of their values; anything else is broken, or unknown to Go. */
const HASHES: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.2.1', 32],
  ['2.16.840.1.101.3.4.2.2', 48],
  ['2.16.840.1.101.3.4.2.3', 64],
]);
/** RSA with PKCS #1 v1.5 and ECDSA, with these hashes. */
const ALGORITHMS = new Set([
  ...['11', '12', '13'].map((end) => `1.2.840.113549.1.1.${end}`),
  ...['2', '3', '4'].map((end) => `1.2.840.10045.4.3.${end}`),
]);
const ED25519 = '1.3.101.112';
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const RSA_KEY = '06092a864886f70d0101010500';
const EC_KEYS = new Set(
  ['06052b81040021', '06082a8648ce3d030107', '06052b81040022', '06052b81040023'].map((curve) => `06072a8648ce3d0201${curve}`),
);
const ED25519_KEY = '06032b6570';
const UNCOMPRESSED = 0x04;

/** Whether Go accepts signatures with this algorithm (getSignatureAlgorithmFromAI in crypto/x509). Throws DerError. */
export function isAccepted(algorithm: readonly DerElement[]): boolean {
  const type = readOid(elementAt(algorithm, 0));
  if (type === ED25519) return algorithm.length === 1;
  if (type !== RSA_PSS) return ALGORITHMS.has(type);
  const parameters = algorithm[1];
  return parameters?.tag === SEQUENCE && isAcceptedPss(readElements(parameters.content));
}

/** One hash for the message and the mask, a salt of its length, and no other trailer; the defaults of all of these mean SHA-1. */
function isAcceptedPss([hash, mask, salt, ...rest]: readonly DerElement[]): boolean {
  if (hash?.tag !== 0xa0 || mask?.tag !== 0xa1 || salt?.tag !== 0xa2 || rest.length > 0) return false;
  const hashType = algorithmIn(hash.content);
  const [maskType, maskHash] = readElements(elementAt(readElements(mask.content), 0).content);
  if (!maskType || !maskHash || readOid(maskType) !== MGF1) return false;
  const length = elementAt(readElements(salt.content), 0).content;
  return readOid(elementAt(readElements(maskHash.content), 0)) === hashType && length.length === 1 && length[0] === HASHES.get(hashType);
}

function algorithmIn(content: Buffer): string {
  return readOid(elementAt(readElements(elementAt(readElements(content), 0).content), 0));
}

/**
 * Whether Go accepts the key of a client or CA, which is described by the content of `algorithm` and by `bits`: RSA with a null, a curve by its
 * name with a point that is not compressed, Ed25519 (parsePublicKey in crypto/x509). The limits of RSA are those of crypto/tls and
 * crypto/rsa. Without them a client could have the server verify signatures with exponents of thousands of bits.
 */
export function isUsableKey({ algorithm, bits }: PublicKeyInfo, { asymmetricKeyDetails }: KeyObject): boolean {
  const described = algorithm.toString('hex');
  if (described === ED25519_KEY) return true;
  if (described !== RSA_KEY) return EC_KEYS.has(described) && bits[1] === UNCOMPRESSED;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength >= 1024 && modulusLength <= 8192 && publicExponent > 1n && publicExponent < 2n ** 31n;
}

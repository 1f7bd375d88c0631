import type { KeyObject } from 'node:crypto';
import type { DerElement } from './der-reader.js';
import { elementAt, readElements, readOid, SEQUENCE } from './der-reader.js';

/** SHA-256, SHA-384 and SHA-512 with the lengths of their values; anything else is broken, or unknown to Go. */
const HASHES: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.2.1', 32],
  ['2.16.840.1.101.3.4.2.2', 48],
  ['2.16.840.1.101.3.4.2.3', 64],
]);
/** RSA with PKCS #1 v1.5 and ECDSA, with these hashes, and Ed25519. */
const ALGORITHMS = new Set([
  ...['11', '12', '13'].map((end) => `1.2.840.113549.1.1.${end}`),
  ...['2', '3', '4'].map((end) => `1.2.840.10045.4.3.${end}`),
  '1.3.101.112',
]);
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const CURVES = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']);

/** Whether Go accepts signatures with this algorithm (getSignatureAlgorithmFromAI in crypto/x509). Throws DerError. */
export function isAccepted(algorithm: readonly DerElement[]): boolean {
  const type = readOid(elementAt(algorithm, 0));
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

/** Whether Go accepts a key of a client or CA. The upper limit of RSA is that of crypto/tls: larger ones cost much to verify with. */
export function isUsableKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'ed25519') return true;
  if (asymmetricKeyType === 'ec') return CURVES.has(asymmetricKeyDetails?.namedCurve ?? '');
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return asymmetricKeyType === 'rsa' && bits >= 1024 && bits <= 8192;
}

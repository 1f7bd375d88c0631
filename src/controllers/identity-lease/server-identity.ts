import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const HASH_BYTES = 16;

/**
 * A name for a replica that stays over restarts: `apiserver-` and 26 characters (apiserver pkg/server/config.go). It depends on the
 * port and on the number among those that share it too, so that replicas on one host have names of their own.
 */
export function serverIdentity(hostname: string, port: number, worker?: number): string {
  const hash = createHash('sha256');
  const parts = [hostname, 'kube-apiserver', String(port), ...(worker === undefined ? [] : [String(worker)])];
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return `apiserver-${base32(hash.digest().subarray(0, HASH_BYTES))}`;
}

/** RFC 4648, lower case, without padding. */
function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`) << 2n;
  let out = '';
  for (let index = 0; index < 26; index++, bits >>= 5n) out = `${ALPHABET[Number(bits & 31n)]}${out}`;
  return out;
}

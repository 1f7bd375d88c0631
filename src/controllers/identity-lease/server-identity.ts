import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ReplicaAddress } from '../machinery/declared-controller.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const HASH_BYTES = 16;

/**
 * A replica's name, stable across restarts: `apiserver-` and 26 characters (apiserver pkg/server/config.go). Includes the port, and the
 * worker's number if several share it, so that replicas on one host have different names.
 */
export function serverIdentity(hostname: string, port: number, worker?: number): string {
  const hash = createHash('sha256');
  const parts = [hostname, 'kube-apiserver', String(port), ...(worker === undefined ? [] : [String(worker)])];
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return `apiserver-${base32(hash.digest().subarray(0, HASH_BYTES))}`;
}

/** What this process calls itself in its identity lease; `holder` is unique to it. */
export function replicaIdentity({ port, worker }: ReplicaAddress): { name: string; holder: string; hostname: string } {
  const host = hostname();
  const name = serverIdentity(host, port, worker);
  return { name, holder: `${name}_${randomUUID()}`, hostname: host };
}

/** RFC 4648, lower case, no padding. */
function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`) << 2n;
  let out = '';
  for (let index = 0; index < 26; index++, bits >>= 5n) out = `${ALPHABET[Number(bits & 31n)]}${out}`;
  return out;
}

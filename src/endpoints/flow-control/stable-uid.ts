import { createHash } from 'node:crypto';

/** The UID of an object that is built in rather than stored: a name-based UUID that is the same on every server. */
export function stableUid(name: string): string {
  const digest = createHash('sha256').update(`coordination-apiserver/${name}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

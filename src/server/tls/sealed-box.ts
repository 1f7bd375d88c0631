import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

const SALT = 16;
const NONCE = 12;
const TAG = 16;
/** At these costs, scrypt takes 50 to 300 ms and 32 MiB: little for a start, much for an attacker who tries passwords on a stolen dump. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 << 20 };

/** Encrypts and authenticates `text` under `key`, of any length: salt, nonce, tag and AES-256-GCM ciphertext, as base64. */
export function seal(text: string, key: string): string {
  const salt = randomBytes(SALT);
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(key, salt, 32, COST), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** The text; undefined if it was sealed under another key or modified since. */
export function unseal(box: string, key: string): string | undefined {
  const bytes = Buffer.from(box, 'base64');
  if (bytes.length < SALT + NONCE + TAG) return undefined;
  const nonce = bytes.subarray(SALT, SALT + NONCE);
  const decipher = createDecipheriv('aes-256-gcm', scryptSync(key, bytes.subarray(0, SALT), 32, COST), nonce);
  decipher.setAuthTag(bytes.subarray(SALT + NONCE, SALT + NONCE + TAG));
  try {
    return decipher.update(bytes.subarray(SALT + NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

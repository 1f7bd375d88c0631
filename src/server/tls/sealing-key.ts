import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { readGivenFile } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import type { ProcessSettings } from '../config/process.settings.js';

const SALT = 16;
const NONCE = 12;
const TAG = 16;
const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/**
 * At these costs, scrypt takes 50 to 300 ms of a thread of its own, and 32 MiB: little for a start, much for an attacker who tries passwords on a stolen
 * dump.
 */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 << 20 };

/**
 * Encrypts and authenticates texts under a key of any length: salt, nonce, tag and AES-256-GCM ciphertext, as base64. What one SealingKey seals
 * has one salt, so that it is derived once for all of it; so is what it opens that another one has sealed.
 */
export class SealingKey {
  readonly #text: string;
  readonly #salt = randomBytes(SALT);
  readonly #derived = new Map<string, Promise<Buffer>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether anyone can open what it seals. */
  get isEmpty(): boolean {
    return this.#text === '';
  }

  async seal(text: string): Promise<string> {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', await this.#derive(this.#salt), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.#salt, nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  /** The text; undefined if it was sealed under another key or modified since. */
  async unseal(box: string): Promise<string | undefined> {
    const bytes = Buffer.from(box, 'base64');
    if (bytes.length < SALT + NONCE + TAG) return undefined;
    const nonce = bytes.subarray(SALT, SALT + NONCE);
    const decipher = createDecipheriv('aes-256-gcm', await this.#derive(bytes.subarray(0, SALT)), nonce);
    decipher.setAuthTag(bytes.subarray(SALT + NONCE, SALT + NONCE + TAG));
    try {
      return decipher.update(bytes.subarray(SALT + NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  #derive(salt: Buffer): Promise<Buffer> {
    const name = salt.toString('base64');
    const known = this.#derived.get(name) ?? derive(this.#text, salt, 32, COST);
    this.#derived.set(name, known);
    return known;
  }
}

/** The key of `--secrets-key-file`. Throws StartError. */
export function readSecretsKey({ secretsKeyFile }: ProcessSettings): string {
  const key = readGivenFile('--secrets-key-file', secretsKeyFile).trim();
  if (key === '') throw new StartError(`--secrets-key-file ${secretsKeyFile} is empty`);
  return key;
}

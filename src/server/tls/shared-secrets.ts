import { StartError } from '../start-error.js';
import { seal, unseal } from './sealed-box.js';
import type { ServerSecrets } from './server-secrets.js';

/** Keeps one text per name; the first writer wins and everyone is given its text. */
export interface SharedTexts {
  getOrCreate(name: string, make: () => Promise<string>): Promise<string>;
}

/** Where the secrets that servers on one database share are, and the key that they are sealed under. */
export interface SealedTexts {
  readonly texts: SharedTexts;
  readonly key: string;
}

/** Authority, serving certificate and admin token of all servers on one database (docs/decisions/0011-shared-secrets.md). */
export async function sharedSecrets(sealed: SealedTexts, create: () => Promise<ServerSecrets>): Promise<ServerSecrets> {
  const text = await sharedText(sealed, 'server-secrets', async () => JSON.stringify(await create()));
  return JSON.parse(text) as ServerSecrets;
}

/** The key that they sign tokens of service accounts with, as PEM. */
export function sharedServiceAccountKey(sealed: SealedTexts, create: () => Promise<string>): Promise<string> {
  return sharedText(sealed, 'service-account-key', create);
}

/** One row, sealed. StartError when it was sealed under another key. */
async function sharedText({ texts, key }: SealedTexts, name: string, create: () => Promise<string>): Promise<string> {
  const box = await texts.getOrCreate(name, async () => seal(await create(), key));
  const text = unseal(box, key);
  if (text !== undefined) return text;
  throw new StartError(
    'the secrets that servers share in this database are sealed with another key or another database password: ' +
      'give that one with --secrets-key-file, or --cert-dir with a copy of them',
  );
}

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory, systemFailure, writePrivateFile, writePrivateFiles } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import type { KeyPair } from './certificate-authority.js';
import type { FoundSecrets, ServerSecrets } from './server-secrets.js';

const AUTHORITY = { cert: 'ca.crt', key: 'ca.key' } as const;
const SERVING = { cert: 'apiserver.crt', key: 'apiserver.key' } as const;
const ADMIN_TOKEN = 'admin-token';

const DIRECTORY = { what: 'the directory of certificates', mode: 0o700 } as const;

/** A separate file, added later: it may be missing although the others exist. */
const SERVICE_ACCOUNT_KEY = 'sa.key';

/** Shorter ones can be guessed; a server writes 43 characters. */
const SHORTEST_TOKEN = 16;

const ANEW = 'have everything made anew, after which every client needs the new kubeconfig';
const SERVING_REMEDY = `remove ${SERVING.cert} and ${SERVING.key}, and the next start issues both again`;

/**
 * The secrets in a directory; undefined if it has none. The serving certificate and its key may be missing, since the authority can issue them
 * again. StartError if another file is missing or any cannot be used: they are replaced only by their owner.
 */
export function readSecretFiles(dir: string): FoundSecrets | undefined {
  const has = (name: string): boolean => lstatSync(path.join(dir, name), { throwIfNoEntry: false }) !== undefined;
  const needed = [AUTHORITY.cert, AUTHORITY.key, ADMIN_TOKEN];
  const serving = Object.values(SERVING).filter(has);
  const present = [...needed.filter(has), ...serving];
  if (present.length === 0) return undefined;
  const missing = needed.filter((name) => !present.includes(name));
  if (missing.length > 0) {
    throw new StartError(
      `${missing.join(', ')} missing in ${dir}, which has ${present.join(', ')}: restore what is missing, or move the directory and admin.kubeconfig away to ${ANEW}`,
    );
  }
  const authority = readPair(dir, AUTHORITY, `restore it from a copy, or move ${dir} and admin.kubeconfig away to ${ANEW}`);
  const adminToken = readToken(path.join(dir, ADMIN_TOKEN));
  if (serving.length === 0) return { authority, adminToken };
  return { authority, adminToken, serving: issuedBy(authority, readPair(dir, SERVING, SERVING_REMEDY), dir) };
}

/** Writes the secrets, each file with mode 0600, into a directory that is created with mode 0700 if missing. */
export function writeSecretFiles(dir: string, { authority, serving, adminToken }: ServerSecrets): void {
  makeDirectory(dir, DIRECTORY);
  writePrivateFiles([
    [path.join(dir, AUTHORITY.key), authority.key],
    [path.join(dir, SERVING.cert), serving.cert],
    [path.join(dir, SERVING.key), serving.key],
    [path.join(dir, ADMIN_TOKEN), adminToken + '\n'],
    [path.join(dir, AUTHORITY.cert), authority.cert],
  ]);
}

/** The directory's key for signing tokens of service accounts, as PEM. */
export function readServiceAccountKey(dir: string): string | undefined {
  const file = path.join(dir, SERVICE_ACCOUNT_KEY);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  return usable(
    file,
    'restore it from a copy, or move it away to have a new one, after which no token of a service account is valid',
    (text) => {
      createPrivateKey(text);
      return text;
    },
  );
}

/** Writes the key beside the other files. */
export function writeServiceAccountKey(dir: string, key: string): void {
  makeDirectory(dir, DIRECTORY);
  writePrivateFile(path.join(dir, SERVICE_ACCOUNT_KEY), key);
}

function readPair(dir: string, names: { readonly cert: string; readonly key: string }, remedy: string): KeyPair {
  const cert = usable(path.join(dir, names.cert), remedy, (text) => ({ text, parsed: new X509Certificate(text) }));
  const key = usable(path.join(dir, names.key), remedy, (text) => ({ text, parsed: createPrivateKey(text) }));
  if (!cert.parsed.checkPrivateKey(key.parsed)) throw new StartError(`${names.key} in ${dir} is not the key of ${names.cert}: ${remedy}`);
  return { cert: cert.text, key: key.text };
}

function issuedBy(authority: KeyPair, serving: KeyPair, dir: string): KeyPair {
  if (new X509Certificate(serving.cert).verify(new X509Certificate(authority.cert).publicKey)) return serving;
  throw new StartError(`${SERVING.cert} in ${dir} was not issued by the authority in ${AUTHORITY.cert}: ${SERVING_REMEDY}`);
}

function readToken(file: string): string {
  return usable(
    file,
    'restore it from a copy, or write a new one into it, after which every client of the admin needs the new kubeconfig',
    (text) => {
      const token = text.trim();
      if (/^[\x21-\x7e]+$/.test(token) && token.length >= SHORTEST_TOKEN) return token;
      throw new Error(`it is no token of at least ${SHORTEST_TOKEN} printable characters`);
    },
  );
}

/** What `parse` makes of a file's text. StartError, with its name, if it cannot be read or parsed. */
function usable<T>(file: string, remedy: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartError(`cannot use ${file}: ${systemFailure(error)}: ${remedy}`, { cause: error });
  }
}

import { PROGRAM_CALL } from '../../settings/program-call.js';
import { StartError } from '../../settings/start-error.js';
import type { OtherRole } from '../../storage/database/session/connected-role.js';
import type { SealingKey } from './sealing-key.js';
import type { FoundSecrets, ServerSecrets } from './server-secrets.js';

/** Keeps one text per name; the first writer wins, and all callers get its text. */
export interface SharedTexts {
  getOrCreate(name: string, make: () => Promise<string>): Promise<string>;
  /** Replaces a text unless it has changed meanwhile. */
  replace(name: string, before: string, after: string): Promise<boolean>;
}

/** `secrets`: authority, serving certificate and admin token; `serviceAccountKey`: the key for service account tokens. */
export const SHARED_NAMES = { secrets: 'server-secrets', serviceAccountKey: 'service-account-key' } as const;

/** The store of the secrets that servers on one database share, and the key that seals them. */
export interface SealedTexts {
  readonly texts: SharedTexts;
  readonly key: SealingKey;
  /** Keys that may seal them until `key` is used for the first time. */
  readonly earlierKeys: readonly SealingKey[];
  /** Called after they have been sealed under `key` in place of an earlier key. */
  readonly onRekeyed?: () => void;
  /** Where `key` is the password of the connection: its role, if another one owns the tables. Nothing is sealed anew under its password. */
  readonly otherRole?: () => Promise<OtherRole | undefined>;
}

/** Authority, serving certificate and admin token of all servers on one database (docs/decisions/0011-shared-secrets.md). */
export async function sharedSecrets(sealed: SealedTexts, create: () => Promise<ServerSecrets>): Promise<FoundSecrets> {
  const text = await sharedText(sealed, SHARED_NAMES.secrets, async () => JSON.stringify(await create()));
  return JSON.parse(text) as FoundSecrets;
}

/** The key that signs tokens of service accounts, as PEM. */
export function sharedServiceAccountKey(sealed: SealedTexts, create: () => Promise<string>): Promise<string> {
  return sharedText(sealed, SHARED_NAMES.serviceAccountKey, create);
}

/** One sealed row. Resealed if an earlier key opens it; StartError if no key does. */
async function sharedText(sealed: SealedTexts, name: string, create: () => Promise<string>): Promise<string> {
  const { texts, key, earlierKeys } = sealed;
  let made: { readonly text: string; readonly box: string } | undefined;
  const box = await texts.getOrCreate(name, async () => {
    const text = await create();
    made = { text, box: await key.seal(text) };
    return made.box;
  });
  const text = box === made?.box ? made.text : await key.unseal(box);
  if (text !== undefined) return text;
  const earlier = await firstOpened(box, earlierKeys);
  const other = await sealed.otherRole?.();
  if (earlier === undefined) throw new StartError(other ? keyOfAnotherRole(other) : OTHER_KEY);
  if (other) return earlier;
  if (await texts.replace(name, box, await key.seal(earlier))) sealed.onRekeyed?.();
  return earlier;
}

/** The text opened with the first key that fits. */
export async function firstOpened(box: string, keys: readonly SealingKey[]): Promise<string | undefined> {
  for (const key of keys) {
    const text = await key.unseal(box);
    if (text !== undefined) return text;
  }
  return undefined;
}

function keyOfAnotherRole({ user, owner }: OtherRole): string {
  return (
    `the password of ${user} does not open the secrets shared in this database, whose tables belong to ${owner}: ` +
    `connect as ${owner}, or pass --secrets-key-file=FILE with the key or password of the other servers`
  );
}

const OTHER_KEY =
  'the secrets shared in this database are encrypted with another key, or with an earlier database password: ' +
  `run "${PROGRAM_CALL} secrets rekey" with the same settings and --old-key-file=FILE, which contains that key or password, ` +
  'or --copies=DIRECTORY, the certs directory of a server that has them, or --new, which creates new ones';

/** The rows that contain the sealed secrets. */
export interface StoredTexts {
  get(name: string): Promise<string | undefined>;
  replace(name: string, before: string, after: string): Promise<boolean>;
}

export interface RekeyOptions {
  readonly key: SealingKey;
  readonly oldKeys: readonly SealingKey[];
  /** By name, the text to seal if no old key opens a row. */
  readonly copies: ReadonlyMap<string, string>;
}

/** The result for one secret. `locked`: no key opens it, and there is no copy. */
export interface Rekeyed {
  readonly name: string;
  readonly state: 're-encrypted' | 'unchanged' | 'locked' | 'absent';
}

/** Seals the shared secrets under another key; secrets that it cannot open are left unchanged. */
export async function rekeySecrets(texts: StoredTexts, options: RekeyOptions): Promise<Rekeyed[]> {
  const all: Rekeyed[] = [];
  for (const name of Object.values(SHARED_NAMES)) all.push({ name, state: await rekey(texts, name, options) });
  return all;
}

async function rekey(texts: StoredTexts, name: string, { key, oldKeys, copies }: RekeyOptions): Promise<Rekeyed['state']> {
  const box = await texts.get(name);
  if (box === undefined) return 'absent';
  if ((await key.unseal(box)) !== undefined) return 'unchanged';
  const text = (await firstOpened(box, oldKeys)) ?? copies.get(name);
  if (text === undefined) return 'locked';
  return (await texts.replace(name, box, await key.seal(text))) ? 're-encrypted' : rekey(texts, name, { key, oldKeys, copies });
}

import type { SealingKey } from './sealing-key.js';
import { firstOpened, SHARED_NAMES } from './shared-secrets.js';

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

import { mkdirSync } from 'node:fs';
import path from 'node:path';

/** The directory where the client tests keep what they install and build; `npm ci` empties it. */
export function clientCache(name: string): string {
  const dir = path.resolve(import.meta.dirname, '../../node_modules/.cache/clients', name);
  mkdirSync(dir, { recursive: true });
  return dir;
}

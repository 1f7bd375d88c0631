import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { oneAtATime } from '../support/one-at-a-time.js';
import { clientCache } from './client-cache.js';
import { mustRun } from './run-program.js';

const INFORMER = path.join(import.meta.dirname, 'javascript/informer.mjs');

/** The informer's path: where it finds the release of @kubernetes/client-node, or without one that of this package. */
export async function informerWith(release: string | undefined): Promise<string> {
  if (release === undefined) return INFORMER;
  const folder = path.join(clientCache('javascript'), release);
  await oneAtATime(folder, async () => {
    if (existsSync(path.join(folder, 'node_modules'))) return;
    await mkdir(folder, { recursive: true });
    await mustRun('npm', ['install', '--no-save', '--prefix', folder, `@kubernetes/client-node@${release}`]);
  });
  const copy = path.join(folder, 'informer.mjs');
  await copyFile(INFORMER, copy);
  return copy;
}

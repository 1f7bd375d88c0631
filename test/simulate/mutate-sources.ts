import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import type { Mutation } from './mutations.js';

const root = new URL('../../', import.meta.url);

/** The file with the mutation applied. Throws if its fragment does not occur exactly once. */
export function mutatedText({ name, file, fragment, replacement }: Mutation): string {
  const parts = readFileSync(fileURLToPath(new URL(file, root)), 'utf8').split(fragment);
  if (parts.length !== 2) {
    throw new Error(`the mutation "${name}" no longer fits: its fragment occurs ${parts.length - 1} times in ${file}`);
  }
  return parts.join(replacement);
}

/** Applies a mutation to the modules that this process loads from now on. */
export function mutateSources(mutation: Mutation): void {
  const url = new URL(mutation.file, root).href;
  const filename = fileURLToPath(url);
  const { code } = transformSync(mutatedText(mutation), { filename, sourceMaps: 'inline' });
  registerHooks({
    load: (loaded, context, next) => (loaded === url ? { format: 'module', source: code, shortCircuit: true } : next(loaded, context)),
  });
}

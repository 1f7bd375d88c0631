import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mutatedText } from './mutate-sources.js';
import { MUTATIONS } from './mutations.js';

/** What became of a mutation within so many seeds. */
export interface MutationResult {
  readonly name: string;
  /** The first seed that found it, and what it found. */
  readonly finding: string | undefined;
}

/** As simulate.ts exits where there is one. */
const FOUND = 2;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the simulation with each mutation in turn, in a process of its own. Throws where one no longer fits. */
export function* runMutations(seeds: number, only = ''): Generator<MutationResult> {
  const chosen = MUTATIONS.filter(({ name }) => name.includes(only));
  for (const mutation of chosen) mutatedText(mutation);
  for (const { name, file } of chosen) {
    const kind = file.startsWith('src/storage/') ? 'storage' : 'elections';
    const parameters = [`--mutation=${name}`, `--seeds=${seeds}`, `--kind=${kind}`, '--brief'];
    const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, 'test/simulate/simulate.ts', ...parameters], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0 && status !== FOUND) throw new Error(`the simulation of "${name}" failed:\n${stderr}`);
    yield { name, finding: status === FOUND ? stdout.split('\n')[0] : undefined };
  }
}

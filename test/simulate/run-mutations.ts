import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mutatedText } from './mutate-sources.js';
import { MUTATIONS } from './mutations.js';

/** The result of a mutation within a number of seeds. */
export interface MutationResult {
  readonly name: string;
  /** The first seed that found it, with its finding. */
  readonly finding: string | undefined;
}

/** The exit code of simulate.ts for a finding. */
const FOUND = 2;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the simulation with each mutation in turn, each in its own process. Throws if a mutation no longer applies. */
export function* runMutations(seeds: number, only = ''): Generator<MutationResult> {
  const chosen = MUTATIONS.filter(({ name }) => name.includes(only));
  for (const mutation of chosen) mutatedText(mutation);
  for (const { name, file, kind = file.startsWith('src/storage/') ? 'storage' : 'elections' } of chosen) {
    const parameters = [`--mutation=${name}`, `--seeds=${seeds}`, `--kind=${kind}`, '--brief'];
    const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, 'test/programs/simulate.ts', ...parameters], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0 && status !== FOUND) throw new Error(`the simulation of "${name}" failed:\n${stderr}`);
    yield { name, finding: status === FOUND ? stdout.split('\n')[0] : undefined };
  }
}

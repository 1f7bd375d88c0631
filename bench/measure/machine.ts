import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';

/** The machine of a measurement. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    node: process.version,
  };
}

export function describeMachine({ cores, processor, memoryGiB, kernel, node }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGiB} GiB, ${kernel}, Node.js ${node}`;
}

/** The commit of a checkout, with a mark if files differ from it. */
export function commitOf(checkout = '.'): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
  return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+');
}

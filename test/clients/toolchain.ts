import { spawnSync } from 'node:child_process';
import { describe, test } from '@jest/globals';

/** Whether a program is there and runs. */
export function hasProgram(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}

/** A suite that needs a program from outside npm; without it, it is shown as skipped, with the reason. */
export function describeWith(program: string, versionArguments: string[], title: string, suite: () => void): void {
  if (hasProgram(program, ...versionArguments)) describe(title, suite);
  else describe(title, () => test.skip(`skipped: ${program} is not installed`, () => undefined));
}

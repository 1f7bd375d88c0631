import { expect } from '@jest/globals';
import { ServerRun } from '../lifecycle/server-run.js';

export interface Ran {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program until it exits. */
export async function runCommand(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const command = new ServerRun(args, { environment });
  const code = await command.ended;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** The error of a command that cannot work: one line, with exit code 1 and nothing on stdout. */
export async function failureOf(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, environment);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr.trimEnd();
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** Starts a program whose output is appended to a file. */
export function startLogged(program: string, flags: readonly string[], file: string): ChildProcess {
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(file, { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** Every child process that is still running: none may be left behind, however this process ends. */
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function keepTrack(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Runs a TypeScript file of this folder as a child process that exchanges messages with this one. */
export function forkScript(file: string, args: readonly string[]): ChildProcess {
  const execArgv = ['--import', './test/support/register-typescript.mjs'];
  const script = path.join('test/attack', file);
  return keepTrack(fork(script, [...args], { cwd: root, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
}

export async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Asks a process to end, and kills it if it does not in this time. */
export async function endChild(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(late);
}

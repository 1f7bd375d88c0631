import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 5000;
const POLL_MS = 100;

/** Waits for processes that were asked to end, and kills those that do not: kube-apiserver without its store runs on for minutes. */
export async function endProcesses(pids: readonly number[]): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (pids.some((pid) => signal(pid, 0)) && Date.now() < deadline) await sleep(POLL_MS);
  for (const pid of pids) signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

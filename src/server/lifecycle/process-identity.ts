import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Together with its id, a text that only this one process ever has: ids are used again, but not within one tick of the clock. Undefined when no such
 * process runs (one that ended and was not yet waited for counts as ended).
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : portableIdentity(pid);
}

/** Start times are counted from the boot (proc(5), field 22), so the boot belongs to them. */
function linuxIdentity(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the command in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootIdentity()}/${fields[19]}`;
}

function bootIdentity(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Some sandboxes hide it; the start time alone is nearly as good.
    return '';
  }
}

function portableIdentity(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

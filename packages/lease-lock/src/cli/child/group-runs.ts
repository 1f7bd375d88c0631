import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process of the group still runs. Processes that have ended, but that nobody has waited for, do not. */
export function groupRuns(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return process.platform === 'linux' ? hasRunningMember(group) : true;
}

function hasRunningMember(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const [state, , itsGroup] = statOf(pid);
      return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
    });
}

/** State, parent, group and more: proc(5). The command's name before them may contain anything. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it has ended meanwhile
  }
}

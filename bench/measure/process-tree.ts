import { readFileSync, readdirSync } from 'node:fs';

/** USER_HZ is 100 wherever Node runs. */
const SECONDS_PER_TICK = 0.01;
const KIB_PER_MIB = 1024;

/** Resource usage of processes and their descendants, without those below the ones in `except`; 0 is no process. Linux only; else zeros. */
export class ProcessTree {
  readonly #roots: readonly number[];
  readonly #except: readonly number[];

  constructor(roots: readonly number[], except: readonly number[] = []) {
    this.#roots = roots;
    this.#except = except;
  }

  /** Never falls: what a process has used that has ended is counted by its parent, once it has waited for it. */
  cpuSeconds(): number {
    return sum(this.#members(), (pid) => {
      const times = statOf(pid).slice(11, 15); // user, system, and those of children that have ended
      return times.reduce((all, ticks) => all + Number(ticks), 0) * SECONDS_PER_TICK;
    });
  }

  /** Resident memory: shared memory counts once for each process. */
  residentMiB(): number {
    return sum(this.#members(), (pid) => kibIn(`/proc/${pid}/status`, 'VmRSS')) / KIB_PER_MIB;
  }

  /** Proportional memory: shared memory counts once in total. */
  proportionalMiB(): number {
    return sum(this.#members(), (pid) => kibIn(`/proc/${pid}/smaps_rollup`, 'Pss')) / KIB_PER_MIB;
  }

  #members(): number[] {
    if (process.platform !== 'linux') return [];
    const children = childrenByParent();
    const members: number[] = [];
    const add = (pid: number): void => {
      if (this.#except.includes(pid)) return;
      members.push(pid);
      for (const child of children.get(pid) ?? []) add(child);
    };
    for (const root of this.#roots) if (root !== 0) add(root);
    return members;
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(Number(entry))[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  return children;
}

/** Fields of /proc/PID/stat from the state on; none for a process that has ended in between. */
function statOf(pid: number): string[] {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function kibIn(file: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readOrEmpty(file))?.[1] ?? 0);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((all, pid) => all + of(pid), 0);
}

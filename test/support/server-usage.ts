import { readFileSync, writeFileSync } from 'node:fs';
import { ProcessTree } from '../../bench/measure/process-tree.js';

const KIB_PER_MIB = 1024;

/** CPU (including that of child processes) and memory of a server's process; Linux only. */
export class ServerUsage {
  readonly #pid: number;
  readonly #tree: ProcessTree;

  constructor(pid: number) {
    this.#pid = pid;
    this.#tree = new ProcessTree([pid]);
  }

  get isAlive(): boolean {
    return this.#status('State') !== '' && !this.#status('State').startsWith('Z');
  }

  cpuSeconds(): number {
    return this.#tree.cpuSeconds();
  }

  residentMiB(): number {
    return this.#mib('VmRSS');
  }

  /** The peak since `forgetPeak`, as counted by the kernel, so that short peaks are included. */
  peakMiB(): number {
    return this.#mib('VmHWM');
  }

  /** If this is not permitted, the peak is that of the process's whole lifetime. */
  forgetPeak(): void {
    try {
      writeFileSync(`/proc/${this.#pid}/clear_refs`, '5');
    } catch {
      return;
    }
  }

  #mib(field: string): number {
    return Number.parseInt(this.#status(field) || '0', 10) / KIB_PER_MIB;
  }

  #status(field: string): string {
    try {
      return new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8'))?.[1] ?? '';
    } catch {
      return '';
    }
  }
}

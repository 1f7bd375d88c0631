import { readFileSync, writeFileSync } from 'node:fs';
import { ProcessTree } from '../../../bench/measure/process-tree.js';

const KIB_PER_MIB = 1024;

/** CPU (with that of processes it has started) and memory of a server's process; Linux only. */
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

  /** The most since `forgetPeak`, by the kernel's own account, so that no short peak is missed. */
  peakMiB(): number {
    return this.#mib('VmHWM');
  }

  /** Where this is not allowed the peak is that of the whole life of the process. */
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

import { ServerUsage } from '../support/server-usage.js';

/** Memory during a run: while warming up and afterwards. */
export class MemoryWatch {
  readonly samples: number[] = [];

  readonly #usage: ServerUsage;

  constructor(pid: number) {
    this.#usage = new ServerUsage(pid);
  }

  sample(): void {
    this.samples.push(Math.round(this.#usage.residentMiB()));
  }

  /** Reports growth beyond the first half of the run, if there are enough samples. */
  violation(): string | undefined {
    if (this.samples.length < 20) return undefined;
    const half = this.samples.length / 2;
    const warm = Math.max(...this.samples.slice(0, half));
    const late = median(this.samples.slice(-Math.floor(this.samples.length / 5)));
    return late > warm * 1.3 + 32 ? `memory grew from ${warm} MiB in the first half to ${late} MiB: ${this.samples.join(' ')}` : undefined;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Log lines in which the server reports internal errors. */
export function errorLines(output: string): string[] {
  return output.split('\n').filter((line) => /"level":(50|60)|^\s+at \S+ |Unhandled|UnhandledPromise|Warning: /.test(line));
}

import type { Subject } from '../contenders/contender.js';
import { ProcessTree } from './process-tree.js';
import type { Figures } from './figures.js';

const SAMPLE_MS = 1000;

/** CPU and memory of a server and its database during a run: CPU in per cent of one core, memory at its peak. */
export class UsageMeter {
  readonly #trees: readonly [role: string, tree: ProcessTree][];

  constructor({ processes }: Subject) {
    const { server, database } = processes ?? { server: [], database: [] };
    this.#trees = [
      ['server', new ProcessTree(server, database)],
      ['database', new ProcessTree(database)],
    ];
  }

  async during<T>(work: () => Promise<T>): Promise<{ result: T; usage: Figures }> {
    const readings = this.#trees.map(([role, tree]) => ({ role, tree, before: tree.cpuSeconds(), highest: tree.proportionalMiB() }));
    const sample = () => {
      for (const reading of readings) reading.highest = Math.max(reading.highest, reading.tree.proportionalMiB());
    };
    const started = performance.now();
    const timer = setInterval(sample, SAMPLE_MS);
    try {
      const result = await work();
      sample();
      const seconds = (performance.now() - started) / 1000;
      const percents = readings.map(({ tree, before }) => ((tree.cpuSeconds() - before) / seconds) * 100);
      const usage = readings.map(({ role, highest }, at): [string, number][] => [
        [`${role} CPU %`, round(percents[at] ?? 0)],
        [`${role} MiB`, round(highest)],
      ]);
      const all = percents.reduce((sum, percent) => sum + percent, 0);
      return { result, usage: { 'CPU %': Math.round(all * 100) / 100, ...Object.fromEntries(usage.flat()) } };
    } finally {
      clearInterval(timer);
    }
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

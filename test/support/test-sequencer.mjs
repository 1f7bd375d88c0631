import { readFileSync } from 'node:fs';
import path from 'node:path';
import Sequencer from '@jest/test-sequencer';
import './register-typescript.mjs';

const { expectedSeconds, runPlan } = await import('./run-plan.ts');
const root = path.resolve(import.meta.dirname, '../..');

/** Starts first what takes longest, so that the workers finish together, and says what the run will be. */
export default class TestSequencer extends Sequencer {
  #globalConfig;

  constructor(options) {
    super(options);
    this.#globalConfig = options.globalConfig;
  }

  sort(tests) {
    const sorted = super.sort(tests);
    const { listTests, maxWorkers, runInBand, watch, watchAll } = this.#globalConfig;
    if (sorted.length > 0 && !listTests && !watch && !watchAll) {
      const files = sorted.map((test) => ({
        project: test.context.config.displayName.name,
        seconds: this.time(test) / 1000,
        source: readFileSync(test.path, 'utf8'),
      }));
      process.stderr.write(`${runPlan(files, runInBand ? 1 : maxWorkers)}\n`);
    }
    return sorted;
  }

  /** As long as the last run on this machine took, in milliseconds. */
  time(test) {
    return super.time(test) ?? 1000 * expectedSeconds(path.relative(root, test.path));
  }
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ScenarioResult } from './scenario-result.js';

/** Results on disk, one per scenario. */
export class ResultFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  read(): readonly ScenarioResult[] {
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')) as { results: ScenarioResult[] }).results : [];
  }

  /** Replaces the kept result of that scenario. */
  keep(result: ScenarioResult): void {
    const kept = this.read();
    const at = kept.findIndex(({ scenario }) => scenario === result.scenario);
    const results = at < 0 ? [...kept, result] : kept.with(at, result);
    writeFileSync(this.#file, `{ "results": [\n${results.map((each) => JSON.stringify(each)).join(',\n')}\n] }\n`);
  }
}

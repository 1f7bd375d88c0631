import { existsSync, writeFileSync } from 'node:fs';
import { describeMachine } from './measure/machine.js';
import { markdownTable } from './report/markdown-table.js';
import { ResultFile } from './report/result-file.js';
import { resultPlot } from './report/result-plot.js';
import type { ScenarioResult } from './report/scenario-result.js';
import { writeSection } from './report/write-section.js';

const FOLDER = 'docs/performance';
/** What is kept, by the name of its file and of its section. */
const KEPT = {
  upstream: 'Beside kube-apiserver with etcd',
  kine: 'Beside kube-apiserver with kine on PostgreSQL',
  here: 'This server alone',
};

/** Draws what was kept and writes its tables into the document. Sections of which nothing was kept stay as they are. */
for (const [name, title] of Object.entries(KEPT)) {
  const file = `${FOLDER}/${name}.json`;
  if (!existsSync(file)) continue;
  const results = new ResultFile(file).read();
  writeFileSync(`${FOLDER}/${name}.svg`, resultPlot(title, results));
  const section = `### ${title}\n\n${conditions(results)}\n\n${markdownTable(results)}\n\n![${title}](performance/${name}.svg)`;
  await writeSection(`results ${name}`, section);
}

function conditions(results: readonly ScenarioResult[]): string {
  const told = (of: (result: ScenarioResult) => string) => [...new Set(results.map(of))].join('; ');
  const days = told(({ measuredAt }) => measuredAt.slice(0, 10));
  const commits = told(({ commit }) => commit);
  const settings = told(({ durability }) => durability.join(', '));
  const rounds = told(({ entrants }) => `${entrants[0]?.rounds.length ?? 0}`);
  const generators = told(({ generator }) => generator);
  const machines = told(({ machine }) => describeMachine(machine));
  return `${machines}; the load runs on the same cores. ${settings}. Rounds: ${rounds}; load by ${generators}; ${days}, commit ${commits}.`;
}

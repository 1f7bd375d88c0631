import { existsSync, writeFileSync } from 'node:fs';
import { describeMachine } from './measure/machine.js';
import { markdownMatrix, markdownTable } from './report/markdown-table.js';
import { ResultFile } from './report/result-file.js';
import { resultPlot } from './report/result-plot.js';
import type { ScenarioResult } from './report/scenario-result.js';
import { writeSection } from './report/write-section.js';

const FOLDER = 'docs/performance';
/** The kept results, by the name of their file and section. */
const KEPT = {
  upstream: 'Compared with kube-apiserver and etcd',
  kine: 'Compared with kube-apiserver and kine on PostgreSQL',
  here: 'This server alone',
};
/** The rates of its locks differ too much for a plot. */
const LOCKS = 'locks';

/** Draws the kept results and writes their tables into the document. Sections without kept results stay unchanged. */
for (const [name, title] of Object.entries(KEPT)) {
  const file = `${FOLDER}/${name}.json`;
  if (!existsSync(file)) continue;
  const results = new ResultFile(file).read();
  writeFileSync(`${FOLDER}/${name}.svg`, resultPlot(title, results));
  const section = `### ${title}\n\n${conditions(results)}\n\n${markdownTable(results)}\n\n![${title}](performance/${name}.svg)`;
  await writeSection(`results ${name}`, section);
}

if (existsSync(`${FOLDER}/${LOCKS}.json`)) {
  const results = new ResultFile(`${FOLDER}/${LOCKS}.json`).read();
  await writeSection(`results ${LOCKS}`, `${conditions(results)}\n\n${markdownMatrix(results)}`);
}

function conditions(results: readonly ScenarioResult[]): string {
  const told = (of: (result: ScenarioResult) => string) => [...new Set(results.map(of))].join('; ');
  const days = told(({ measuredAt }) => measuredAt.slice(0, 10));
  const commits = told(({ commit }) => commit);
  const settings = told(({ durability }) => durability.join('; '));
  const rounds = told(({ entrants }) => `${entrants[0]?.rounds.length ?? 0}`);
  const generators = told(({ generator }) => generator);
  const machines = told(({ machine }) => describeMachine(machine));
  return `${machines}; the load runs on the same cores. ${settings}. Rounds: ${rounds}; load by ${generators}; ${days}, commit ${commits}.`;
}

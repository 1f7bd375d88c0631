import { readFileSync } from 'node:fs';
import type { Tool } from '../clients/toolchain.js';
import * as toolchain from '../clients/toolchain.js';

export interface PlannedFile {
  /** `unit`, `e2e` and so on. */
  readonly project: string;
  readonly seconds: number;
  readonly source: string;
}

const EXPECTED = JSON.parse(readFileSync(new URL('expected-seconds.json', import.meta.url), 'utf8')) as Record<string, number>;
const UNIT_SECONDS = 0.3;
const OTHER_SECONDS = 5;
/** Runs that take longer are told of a shorter one. */
const LONG_SECONDS = 120;

/** How long a test file takes that this machine has not run yet; expected-seconds.json lists those that take long. */
export function expectedSeconds(path: string): number {
  return EXPECTED[path] ?? (path.endsWith('.spec.ts') ? UNIT_SECONDS : OTHER_SECONDS);
}

/** One line: what runs, how long that takes, and what is skipped for want of which program. */
export function runPlan(files: readonly PlannedFile[], maxWorkers: number, whyNot = toolchain.whyNot): string {
  const workers = Math.min(maxWorkers, files.length);
  const longest = Math.max(...files.map(({ seconds }) => seconds));
  const seconds = Math.max(longest, files.reduce((sum, each) => sum + each.seconds, 0) / workers);
  const projects = counts(files.map(({ project }) => project)).map(([name, count]) => `${name} ${count}`);
  const skipped = missingTools(files, whyNot).map(([reason, suites]) => `${suites} ${suites === 1 ? 'suite' : 'suites'} (${reason})`);
  return [
    `${files.length} test ${files.length === 1 ? 'file' : 'files'} (${projects.join(', ')}), ${workers} at a time: about ${duration(seconds)}.`,
    ...(skipped.length === 0 ? [] : [`Skipped: ${skipped.join(', ')}.`]),
    ...(seconds > LONG_SECONDS ? ['Shorter: npm run test:quick. With clients in Rust and Java: npm run test:clients:heavy.'] : []),
  ].join(' ');
}

/** The reasons why suites cannot run here, by the tools that they name in `describeWith`, each with the number of suites. */
function missingTools(files: readonly PlannedFile[], whyNot: (tool: Tool) => string | undefined): [string, number][] {
  const suites = files.flatMap(({ source }) =>
    [...source.matchAll(/^ *describeWith\w*\(\[([\w, ]+)\]/gm)].map(([, list = '']) => list.split(', ')),
  );
  const tools = toolchain as unknown as Readonly<Record<string, Tool>>;
  const reasons = new Map<string, string>();
  for (const name of new Set(suites.flat())) {
    const reason = whyNot(tools[name]!);
    if (reason !== undefined) reasons.set(name, reason);
  }
  const why = (names: readonly string[]): string => names.flatMap((name) => reasons.get(name) ?? []).join(', ');
  return counts(suites.map(why).filter(Boolean));
}

function counts(names: readonly string[]): [string, number][] {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found];
}

const duration = (seconds: number): string => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`);

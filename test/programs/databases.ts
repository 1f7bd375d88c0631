import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, ENVIRONMENTS } from '../databases/environments.js';

/**
 * `npm run program databases`: runs the suites that depend on the database in every supported environment, one after the other. A pattern replaces SUITES. Prints a table; the exit code is 1 if a test failed.
 */
const SUITES = [
  'test/integration/storage',
  'test/integration/sql',
  ...['maintenance', 'commands'].map((name) => `test/e2e/cli/${name}.test.ts`),
  ...['shared-database', 'acting-replica', 'recreated-namespaces', 'promoted-standby', 'writer-on-standby', 'workers'].map(
    (name) => `test/e2e/lifecycle/${name}.test.ts`,
  ),
  ...['expired-writes', 'watches', 'long-lists'].map((name) => `test/e2e/http/${name}.test.ts`),
];

interface Result {
  readonly environment: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly remark: string;
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
  const names = values.only?.split(',') ?? ENVIRONMENTS.map(({ name }) => name);
  const unknown = names.find((name) => !ENVIRONMENTS.some((environment) => environment.name === name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${ENVIRONMENTS.map(({ name }) => name).join(', ')}`);
  const results: Result[] = [];
  for (const environment of ENVIRONMENTS) {
    if (names.includes(environment.name)) results.push(await runIn(environment, positionals.length > 0 ? positionals : SUITES));
  }
  print(results);
  if (results.some(({ failed, remark }) => failed > 0 || remark.startsWith('broken'))) process.exitCode = 1;
}

async function runIn({ name, whyNot, within }: Environment, suites: readonly string[]): Promise<Result> {
  const reason = whyNot?.();
  const none = { environment: name, passed: 0, failed: 0, skipped: 0 };
  if (reason !== undefined) return { ...none, remark: `not run: ${reason}` };
  process.stderr.write(`\n=== ${name}\n`);
  const folder = mkdtempSync(path.join(tmpdir(), 'databases-report-'));
  const file = path.join(folder, 'report.json');
  try {
    await within((variables) => runJest(name, suites, file, variables));
    if (!existsSync(file)) return { ...none, remark: 'broken: no test ran' };
    const report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numRuntimeErrorTestSuites: broken } = report;
    return { environment: name, passed, failed, skipped, remark: broken > 0 ? `broken: ${broken} files do not run` : '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runJest(
  name: string,
  suites: readonly string[],
  report: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const args = ['test', '--', ...suites, '--selectProjects', 'integration', 'e2e', '--json', `--outputFile=${report}`, '--maxWorkers=2'];
  const environment = { ...process.env, COORDINATION_TEST_ENVIRONMENT: name, ...variables };
  const jest = spawn('npm', ['run', '--silent', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
  await once(jest, 'exit');
}

function print(results: readonly Result[]): void {
  const rows = [['ENVIRONMENT', 'PASSED', 'FAILED', 'SKIPPED', '']].concat(
    results.map(({ environment, passed, failed, skipped, remark }) => [environment, `${passed}`, `${failed}`, `${skipped}`, remark]),
  );
  for (const row of rows) process.stdout.write(`${row.map((cell, at) => cell.padEnd(at === 0 ? 22 : 9)).join('')}`.trimEnd() + '\n');
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

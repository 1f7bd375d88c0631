import { copyFileSync, globSync } from 'node:fs';
import path from 'node:path';
import { PROGRAM } from '../../support/program-under-test.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun, runProgram } from '../run-program.js';
import { type Tool, GO, JAVAC, MAVEN, PYTHON } from '../toolchain.js';

/** How the examples start the server. */
export const SERVER = { LEASE_TEST_SERVER: `${process.execPath} ${PROGRAM} test-server` };
const EXAMPLES = path.resolve(import.meta.dirname, '../../../packages/testing/examples');

/** What runs in the folder of the example. */
interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A program of packages/testing/examples. */
export interface ElectionExample {
  readonly tools: readonly Tool[];
  /** Builds it in an empty folder. The command runs its cases against one server, as often as it is told. */
  build(folder: string): Promise<(times: number) => Command>;
}

export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  readonly ms: number;
}

export const ELECTION_EXAMPLES = {
  'client-go': { tools: [GO], build: (folder) => buildGo(folder, 'TestElector') },
  'controller-runtime': { tools: [GO], build: (folder) => buildGo(folder, 'TestManager') },
  fabric8: { tools: [MAVEN, JAVAC], build: buildJava },
  Python: { tools: [PYTHON], build: buildPython },
} as const satisfies Record<string, ElectionExample>;

/** Runs the cases of an example that is built. The failure is its output, if it did not end well. */
export async function runCases(folder: string, { program, args, env }: Command): Promise<{ results: CaseResult[]; failure?: string }> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: { ...SERVER, ...env } });
  const lines = stdout.matchAll(/^ *--- (PASS|FAIL): (?:Test\w+\/|(?!Test))(\w+)(?:\(\))? \((\d+\.\d+)s\)$/gm);
  const results = [...lines].map(([, result, name = '', seconds]) => ({
    name,
    passed: result === 'PASS',
    ms: Math.round(Number(seconds) * 1000),
  }));
  const failed = code !== 0 || results.some(({ passed }) => !passed);
  return { results, ...(failed && { failure: `${program} ended with ${code}:\n${stdout}${stderr}` }) };
}

async function buildGo(folder: string, test: string): Promise<(times: number) => Command> {
  for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(import.meta.dirname, '../go', file), path.join(folder, file));
  copyExamples('*.go', folder);
  await mustRun('go', ['vet', '.'], { cwd: folder });
  await mustRun('go', ['test', '-c', '-o', 'cases', '.'], { cwd: folder });
  return (times) => ({ program: './cases', args: ['-test.v', `-test.run=^${test}$`, `-test.count=${times}`] });
}

async function buildJava(folder: string): Promise<(times: number) => Command> {
  for (const file of ['pom.xml', 'Repeat.java']) copyFileSync(path.join(import.meta.dirname, 'java', file), path.join(folder, file));
  copyExamples('*.java', folder);
  await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=libraries'], { cwd: folder });
  const sources = globSync('*.java', { cwd: folder });
  await mustRun('javac', ['-Xlint:all,-processing', '-Werror', '-cp', 'libraries/*', '-d', '.', ...sources], { cwd: folder });
  return (times) => ({ program: 'java', args: ['-cp', '.:libraries/*', 'Repeat', 'ElectionTest', String(times)] });
}

async function buildPython(folder: string): Promise<(times: number) => Command> {
  const python = await installPythonClients();
  copyExamples('*.py', folder);
  copyFileSync(path.join(import.meta.dirname, 'repeat.py'), path.join(folder, 'repeat.py'));
  return (times) => ({
    program: python,
    args: ['-m', 'pytest', '-q', '-s', '-p', 'repeat', '-p', 'no:cacheprovider', '.'],
    env: { REPEAT: String(times), PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  });
}

export function copyExamples(pattern: string, folder: string): void {
  for (const file of globSync(pattern, { cwd: EXAMPLES })) copyFileSync(path.join(EXAMPLES, file), path.join(folder, file));
}

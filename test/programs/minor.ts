import { execFile, spawn } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { findProgram, findUpstream, REFERENCE } from '../../bench/contenders/find-upstream.js';
import { startOwnServer } from '../differential/servers/own-server.js';
import { send } from '../differential/servers/prepare-server.js';
import { startComparedUpstream } from '../differential/servers/upstream-server.js';
import { eventually } from '../support/eventually.js';
import { type Facts, factsOf } from '../upstream/facts.js';
import { compareFacts, undeclaredFacts } from '../upstream/compare-facts.js';
import { replayRecordings } from '../upstream/replay-recordings.js';

/** `npm run program minor`: lists what a new minor of Kubernetes changes. */
const HELP = `npm run program minor -- --to=1.38.0 [--from=VERSION] [--steps=build,...] [--out=DIR]

What a new minor of Kubernetes changes, step by step, each with its time; docs/decisions/0036-a-minor-in-a-day.md says what to do with it.

  build      kube-apiserver, etcd and kubectl of both releases (test/upstream/build.sh)
  replay     the recordings of test/conformance on the new original: DIR/changes.txt lists the answers that have changed, DIR/recorded has
             the recordings with the new ones
  facts      OpenAPI, columns, roles, metrics, feature gates and flags of both originals: DIR/facts.txt; of the new one and this server: DIR/ours.txt
  questions  the differential tool against the new original: DIR/questions.txt
  interfaces audit events, metrics, and HTTP/1.1 in raw bytes, against the new original: DIR/interfaces.txt
  clients    the client suites, those with kubectl of the new release included: DIR/clients.txt

  --from     the release before, by default the one whose answers this server gives
  --out      default: .minor`;

const run = promisify(execFile);
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'alice-token,alice,alice,"dev"', 'bob-token,bob,bob,"ops"'];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    to: { type: 'string' },
    from: { type: 'string', default: REFERENCE },
    steps: { type: 'string', default: 'build,replay,facts,questions,interfaces,clients' },
    out: { type: 'string', default: '.minor' },
    questions: { type: 'string', default: '20000' },
  },
});
const { from, to = '' } = values;
const out = path.resolve(values.out);

const STEPS: Readonly<Record<string, () => Promise<string>>> = { build, replay, facts, questions, interfaces, clients };

if (values.help || to === '') console.log(HELP);
else await main();

async function main(): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const name of values.steps.split(',')) {
    const step = STEPS[name];
    if (!step) throw new TypeError(`there is no step ${name}: ${Object.keys(STEPS).join(', ')}`);
    const began = performance.now();
    const outcome = await step();
    console.log(`${name} (${((performance.now() - began) / 1000).toFixed(0)} s): ${outcome}`);
  }
}

async function build(): Promise<string> {
  for (const KUBE of [from, to]) await logged('build', 'test/upstream/build.sh', ['kube-apiserver', 'etcd', 'kubectl'], { KUBE });
  return `${from} and ${to} are built`;
}

async function replay(): Promise<string> {
  await using upstream = await startComparedUpstream(findUpstream({}, { KUBE: to }), TOKENS, ['--etcd-compaction-interval=30s']);
  await compaction(upstream.url);
  const changes = await replayRecordings(upstream.url, path.join(out, 'recorded'), (line) => console.log(`  ${line}`));
  return await keep('changes.txt', changes);
}

/** Some scenarios ask for the first version, which has to be compacted away. */
async function compaction(url: string): Promise<void> {
  const first = '/apis/coordination.k8s.io/v1/leases?resourceVersion=1&resourceVersionMatch=Exact';
  const headers = { authorization: 'Bearer admin-token' };
  const compacted = async () => (await send(url, first, { headers })).status === 410;
  await eventually(compacted, () => 'the first version is still there', 240_000);
}

async function facts(): Promise<string> {
  const [before, after] = [await originalFacts(from), await originalFacts(to)];
  const server = await startOwnServer();
  const ours = await factsOf(server.url).finally(() => server.stop());
  return `${await keep('facts.txt', compareFacts(before, after))}; ${await keep('ours.txt', undeclaredFacts(after, ours))}`;
}

async function originalFacts(version: string): Promise<Facts> {
  const environment = { KUBE: version };
  await using upstream = await startComparedUpstream(findUpstream({}, environment));
  const { stdout } = await run(findProgram('kube-apiserver', environment), ['--help'], { maxBuffer: 2 ** 24 });
  const flags = [...stdout.matchAll(/^ +--([\w-]+)/gm)].map(([, flag]) => [`flag ${flag}`, ''] as const);
  return new Map([...(await factsOf(upstream.url)), ...flags]);
}

async function questions(): Promise<string> {
  const asked = ['run', '--silent', 'program', 'differential', '--', '--replicas=2', `--questions=${values.questions}`];
  const code = await logged('questions', 'npm', asked, { KUBE: to });
  return `exit code ${code}, see ${out}/questions.txt`;
}

async function interfaces(): Promise<string> {
  const audit = ['run', '--silent', 'program', 'differential', '--', '--audit', '--questions=4000'];
  const codes = [
    await logged('interfaces', 'npm', audit, { KUBE: to }),
    await logged('interfaces', 'npm', ['run', '--silent', 'program', 'http1-differential'], { KUBE: to }, 'a'),
  ];
  return `exit codes ${codes.join(' and ')}, see ${out}/interfaces.txt`;
}

async function clients(): Promise<string> {
  const code = await logged('clients', 'npm', ['test', '--', '--selectProjects', 'clients', 'heavy-clients'], { KUBE: to });
  return `exit code ${code}, see ${out}/clients.txt`;
}

async function keep(file: string, lines: readonly string[]): Promise<string> {
  await writeFile(path.join(out, file), lines.map((line) => `${line}\n`).join(''));
  return `${lines.length} lines in ${path.join(out, file)}`;
}

/** Runs a program with its output in a file, as it comes; resolves with its exit code. */
async function logged(
  name: string,
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  flags: 'w' | 'a' = 'w',
): Promise<number | null> {
  await using output = await open(path.join(out, `${name}.txt`), flags);
  const child = spawn(program, args, { stdio: ['ignore', output.fd, output.fd], env: { ...process.env, ...environment } });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0 && name === 'build') throw new Error(`${program} ended with ${code}: see ${out}/${name}.txt`);
  return code;
}

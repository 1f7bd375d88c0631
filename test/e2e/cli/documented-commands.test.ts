import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { forAllTests } from '../../support/for-tests.js';
import { helpOf } from '../../support/help-of.js';
import { ask } from '../../support/http-client.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { startServerProcess } from '../../support/server-process.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const root = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/commands.md'), 'utf8');
const COLOURS = '\u001b[';

/** Sections by the page's headings: `migrate status`, not `migrate`. Others are about all commands. */
const sections = page
  .split(/^#{2,3} /m)
  .map((text) => ({ command: text.slice(0, text.indexOf('\n')), text }))
  .filter(({ command, text }) => text.includes(`\n    coordination-apiserver ${command}`));

/** The lines after "For example", without duplicates. */
const examples = [
  ...new Set([...page.matchAll(/^For example\n\n((?: {4}.*\n)+)/gm)].flatMap(([, lines = '']) => lines.trim().split(/\n +/))),
];

// Programs may be started from here, unlike from memory in a container.
const home = scratchDirectory(tmpdir());
const server = forAllTests(() => startServerProcess());
const target = forAllTests(() => startServerProcess());
const empty = forAllTests(() => createEmptyDatabase());

beforeAll(async () => {
  await ask(`${server.url}/api/v1/namespaces`, { method: 'POST', body: { metadata: { name: 'jobs' } } });
  const body = { metadata: { name: 'one' }, spec: { holderIdentity: 'x' } };
  await ask(`${server.url}/apis/coordination.k8s.io/v1/namespaces/jobs/leases`, { method: 'POST', body });
  for (const folder of ['bin', '.kube', '.config/fish/completions']) mkdirSync(path.join(home, folder), { recursive: true });
  for (const file of ['old-password', 'new-key']) writeFileSync(path.join(home, file), file);
  program('coordination-apiserver', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  for (const name of ['report.sh', 'scheduler']) symlinkSync(path.join(home, 'bin', name), path.join(home, name));
  program('report.sh', 'exit 0');
  program('make', 'exit 0');
  program('scheduler', 'touch leads; exec sleep 600');
  program('kubectl', 'grep -q \'"kind": "List"\'');
  const kubeconfig = parse(readFileSync(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8')) as { contexts: { name: string }[] };
  const contexts = [...kubeconfig.contexts, ...kubeconfig.contexts.map((context) => ({ ...context, name: 'production' }))];
  writeFileSync(path.join(home, '.kube/config'), stringify({ ...kubeconfig, contexts }));
});

function program(name: string, script: string): void {
  writeFileSync(path.join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(home, 'bin', name), 0o755);
}

/** Replaces the page's addresses with those of the test. */
function asHere(line: string): string {
  const restored = new pg.Client({ connectionString: empty.url });
  return line
    .replace('docker compose exec apiserver ', '')
    .replaceAll(/postgresql:\/\/\S+\/empty/g, `'${empty.url}'`)
    .replaceAll(/postgresql:\/\/\S+\/database/g, `'${server.databaseUrl}'`)
    .replaceAll('database@host', `${restored.database}@${restored.host}`)
    .replaceAll('/var/lib/coordination-apiserver', server.dataDir)
    .replaceAll('.data/', `${server.dataDir}/`)
    .replaceAll(/https:\/\/127.0.0.1:6443(?=\/version)/g, server.url)
    .replace(/^coordination-apiserver ui\b.*/, untilItServes)
    .replace(/^coordination-apiserver elect\b.*-- .*/, untilItLeads);
}

/** Stops a command that runs until it is stopped, once it has printed its address. */
function untilItServes(line: string): string {
  return `${line} --port 0 > served & pid=$!; until grep -q /ui/ served || ! kill -0 $pid; do sleep 0.1; done; kill -TERM $pid; wait $pid; rm served`;
}

/** Stops a command that runs until it is stopped, once it leads. */
function untilItLeads(line: string): string {
  return `${line} & pid=$!; until [ -e leads ] || ! kill -0 $pid; do sleep 0.1; done; kill -TERM $pid; wait $pid || [ $? = 143 ]; rm leads`;
}

function run(line: string, terminal = false) {
  // import and restore need a target other than the server that is running.
  const dataDir = line.includes(' import ') ? target.dataDir : server.dataDir;
  const url = line.includes(' restore ') ? empty.url : server.databaseUrl;
  const own = { HOME: home, PATH: `${home}/bin:${process.env['PATH'] ?? ''}`, fpath: home, TERM: 'xterm' };
  const program = { COORDINATION_APISERVER_DATA_DIR: dataDir, DATABASE_URL: url };
  const command = terminal ? `script --quiet --return --command "${line}" /dev/null` : line;
  const ran = spawnSync('bash', ['-c', `set -eo pipefail; ${command}`], { cwd: home, env: { ...own, ...program }, encoding: 'utf8' });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

test('every command has examples, and its help shows the same ones', () => {
  for (const { command, text } of sections.filter(({ text: of }) => !of.includes('[command]'))) {
    const help = helpOf(command);
    expect([command, help]).toEqual([command, expect.stringMatching(/^Usage: /)]);
    if (command !== 'serve') expect([command, text]).toEqual([command, expect.stringMatching(/\nFor example\n\n {4}\S/)]);
    const [first] = /\n {4}(.*coordination-apiserver .*)\n/.exec(text.split('For example')[1] ?? '')?.slice(1) ?? [];
    if (first !== undefined) expect([command, help]).toEqual([command, expect.stringContaining(first)]);
  }
});

// Those for a cluster are tried on one (test/cluster).
test.each(examples.filter((line) => !line.includes('--cluster-kubeconfig')))('works as documented: %s', (line) => {
  const { code, stdout, stderr } = run(asHere(line));
  // doctor reports that the tests' PostgreSQL is not durable
  const good = line.includes(' doctor') && stdout.includes('durability') ? [0, 2] : [0];
  expect({ stdout, stderr, good: good.includes(code ?? -1) }).toEqual({ stdout, stderr, good: true });
  expect(stdout + stderr).not.toContain(COLOURS);
});

test('the examples run every command', () => {
  for (const { command } of sections.filter(({ command: name }) => !['serve', 'migrate', 'migrate down', 'migrate check'].includes(name))) {
    expect([command, examples.some((line) => new RegExp(`coordination-apiserver ${command}\\b`).test(line))]).toEqual([command, true]);
  }
});

const ARGUMENTS: Readonly<Record<string, string>> = { 'doctor lease': 'jobs/one', history: 'jobs/one', 'who-led': 'jobs/one --at 0s' };

test('every command with --output prints data as json and yaml, and a table as text', () => {
  const able = sections
    .filter(({ text }) => /--output <format>`.*One of table, json, yaml|^Also .*`--output`/m.test(text))
    .map(({ command }) => command);
  const commands = able.filter((command) => !['import', 'migrate down', 'takeover', 'giveback'].includes(command));
  expect(commands.length).toBeGreaterThan(5);
  for (const command of [
    ...commands.map((name) => `${name} ${ARGUMENTS[name] ?? ''}`),
    `import --from-kubeconfig ${home}/.kube/config --dry-run`,
  ]) {
    const json = run(`coordination-apiserver ${command} -o json`).stdout;
    expect([command, json]).toEqual([command, expect.stringMatching(/^[[{]/)]);
    const shape = Object.keys(JSON.parse(json) as object);
    expect(Object.keys(parse(run(`coordination-apiserver ${command} -o yaml`).stdout) as object)).toEqual(shape);
    expect(run(`coordination-apiserver ${command}`).stdout).not.toMatch(/[{}]/);
  }
});

const withTerminal = spawnSync('script', ['--version']).status === 0 ? test : test.skip;

withTerminal('colours and progress bars are for terminals', () => {
  expect(run('coordination-apiserver doctor').stdout).not.toContain(COLOURS);
  expect(run('coordination-apiserver doctor', true).stdout).toContain(COLOURS);
  expect(run('NO_COLOR=1 coordination-apiserver doctor', true).stdout).not.toContain(COLOURS);
  const verify = run('coordination-apiserver verify');
  expect([verify.code, verify.stderr]).toEqual([0, '']);
  expect(run('coordination-apiserver verify', true).stdout).toMatch(/\rverify \[[# ]{30}\] \d+ % \d+\/\d+/);
});

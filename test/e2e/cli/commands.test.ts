import path from 'node:path';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { startServerProcess } from '../../support/server-process.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { ask, ServerRun } from '../lifecycle/server-run.js';
import { eventually } from '../../support/eventually.js';
import { helpOf } from '../../support/help-of.js';
import { failureOf, runCommand } from './run-command.js';

const SCRIPT = path.resolve(import.meta.dirname, '../../../coordination-apiserver');
const scratch = scratchDirectory();
const server = forAllTests(() => startServerProcess());
const empty = forAllTests(() => createEmptyDatabase());

test('--help prints the commands, and after a command its flags and an example', async () => {
  for (const [words, example] of [
    [[], 'serve --help'],
    [['doctor'], 'doctor'],
    [['migrate', 'down'], 'migrate up'],
  ] as const) {
    const { code, stdout } = await runCommand([...words, '--help']);
    // in a clone, the examples are called by its script
    expect([code, stdout.replaceAll(SCRIPT, 'coordination-apiserver')]).toEqual([0, helpOf(words.join(' '))]);
    expect(stdout).toContain(`${SCRIPT} ${example}`);
  }
});

test('a command without its subcommand prints the same help to stderr', async () => {
  const { stdout } = await runCommand(['migrate', '--help']);
  expect(await runCommand(['migrate'])).toEqual({ code: 1, stdout: '', stderr: stdout });
});

test('a misspelt command is answered with the list of commands', async () => {
  const { code, stderr } = await runCommand(['servee']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: unknown command "servee" \(Did you mean serve\?\); the commands are serve, leases, .*\n$/),
  ]);
});

test('a misspelt subcommand is answered with the one that was meant, also of a command that works without one', async () => {
  for (const words of [
    ['doctor', 'leas'],
    ['doctor', 'leas', 'jobs/one'],
    ['migrate', 'upp'],
  ]) {
    expect(await failureOf(words)).toMatch(/^error: unknown command '\w+' \(Did you mean (lease|up)\?\)$/);
  }
  expect(await failureOf(['doctor', 'nonsense'])).toBe("error: too many arguments for 'doctor'. Expected 0 arguments but got 1: nonsense.");
});

test('version prints the program and API versions as text and as data', async () => {
  const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as { version: string };
  expect((await runCommand(['version'])).stdout).toMatch(/^version +\d+\.\d+\.\d+\nkubernetes +v1\.37\.2\nnode +v/);
  expect(JSON.parse((await runCommand(['version', '-o', 'json'])).stdout)).toMatchObject({
    version: manifest.version,
    kubernetes: 'v1.37.2',
  });
  expect((await runCommand(['version', '-o', 'yaml'])).stdout).toContain(`version: ${manifest.version}\n`);
  expect(await failureOf(['version', '-o', 'xml'])).toContain("'xml' is invalid. Allowed choices are table, json, yaml.");
});

test('token and kubeconfig print credentials that the server accepts', async () => {
  const { stdout } = await runCommand(['kubeconfig', '--data-dir', server.dataDir, '--server', 'https://leases.example.org:7443/']);
  const given = JSON.parse(stdout) as { clusters: { cluster: Record<string, string> }[]; users: { user: { token: string } }[] };
  expect(given.clusters[0]?.cluster['server']).toBe('https://leases.example.org:7443');
  const authority = Buffer.from(given.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  expect(authority).toBe(readFileSync(path.join(server.dataDir, 'certs/ca.crt'), 'utf8'));
  const token = (await runCommand(['token'], { COORDINATION_APISERVER_DATA_DIR: server.dataDir })).stdout;
  expect(token).toBe(readFileSync(path.join(server.dataDir, 'certs/admin-token'), 'utf8'));
  expect(token.trim()).toBe(given.users[0]?.user.token);
  expect((await ask(`${server.url}/readyz`, server.dataDir)).status).toBe(200);
  const own = JSON.parse((await runCommand(['kubeconfig', '--data-dir', server.dataDir])).stdout) as typeof given;
  expect(own.clusters[0]?.cluster['server']).toBe(server.url);
});

test('token and kubeconfig report errors in one line', async () => {
  const none = path.join(scratch, 'none');
  expect(await failureOf(['token', '--data-dir', none])).toBe(
    `error: no server has run in ${none} yet: start it first, or pass its --data-dir`,
  );
  expect(await failureOf(['kubeconfig', '--data-dir', server.dataDir, '--server', 'leases:6443'])).toBe(
    'error: invalid value "leases:6443" for --server: must be a URL such as https://host:6443',
  );
});

test('all commands that ask a server take the same one, and say which if a data directory and a kubeconfig name two', async () => {
  const [folder, home] = [path.join(scratch, 'folder'), path.join(scratch, 'home')];
  const own = path.join(folder, '.data/admin.kubeconfig');
  cpSync(path.join(server.dataDir, 'admin.kubeconfig'), own, { recursive: true });
  const other = path.join(home, '.kube/config');
  const elsewhere = readFileSync(own, 'utf8').replace(server.url, 'https://127.0.0.1:1');
  mkdirSync(path.dirname(other), { recursive: true });
  writeFileSync(other, elsewhere);
  const commands = [
    ['leases', '-n', 'nowhere'],
    ['lock', 'same', '--', '/bin/echo', 'held'],
    ['elect', 'same', '--', '/bin/sh', '-c', 'kill $PPID'],
    ['history', 'default/none'],
    ['who-led', 'default/none'],
    ['ui'],
  ];
  const said = (environment: Record<string, string>) =>
    Promise.all(
      commands.map(async (args) => {
        const run = new ServerRun(args, { folder, environment: { HOME: home, ...environment } });
        if (args[0] === 'ui') await eventually(() => run.stdout || undefined).finally(() => run.end('SIGTERM'));
        const code = await run.ended;
        return [args[0], code, run.stdout + run.stderr] as const;
      }),
    );
  const note = (chosen: string, rest: string) =>
    `the server is that of ${chosen}, which comes before ${rest}; --kubeconfig names another\n`;
  for (const [name, , text] of await said({})) {
    expect([name, text]).toEqual([name, expect.stringMatching(note(String.raw`\S*\.data/admin.kubeconfig`, other))]);
    expect([name, text]).toEqual([name, expect.not.stringContaining('127.0.0.1:1:')]);
  }
  for (const [name, , text] of await said({ KUBECONFIG: other })) {
    expect([name, text]).toEqual([name, expect.stringMatching(note(String.raw`\$KUBECONFIG`, String.raw`\S*\.data/admin.kubeconfig`))]);
  }
});

test('what tests run does not find a server that somebody runs in the clone', async () => {
  const [, found] = /^error: no server is known: none has run in (.*) yet, /.exec(await failureOf(['leases'], { HOME: scratch })) ?? [];
  expect(found).toMatch(/\.data$/);
  expect(found).not.toBe(path.resolve('.data'));
});

test('lock finds the server that has run in the data directory', async () => {
  const environment = { HOME: scratch, COORDINATION_APISERVER_DATA_DIR: server.dataDir };
  const found = await runCommand(['lock', 'found', '--', '/bin/echo', 'held'], environment);
  expect(found).toEqual({ code: 0, stdout: 'held\n', stderr: '' });
  const none = path.join(scratch, 'none');
  expect(await runCommand(['lock', 'x', '--', 'true'], { ...environment, COORDINATION_APISERVER_DATA_DIR: none })).toEqual({
    code: 78,
    stdout: '',
    stderr: `coordination-apiserver lock: no server is known, and there is no ${none}/admin.kubeconfig: give --kubeconfig or --server, or set KUBECONFIG\n`,
  });
  const other = await runCommand(['lock', 'x', '--', 'true'], { HOME: scratch, KUBECONFIG: '/no/such/file' });
  expect(other).toMatchObject({ code: 78, stderr: expect.stringContaining('/no/such/file') });
});

test('lock and elect name themselves in their messages among the lines of their command', async () => {
  const environment = { HOME: scratch, COORDINATION_APISERVER_DATA_DIR: server.dataDir };
  const stderrOf = async (...args: string[]): Promise<string> => (await runCommand(args, environment)).stderr;
  expect(await stderrOf('lock', 'x', '--verbose', '--', 'true')).toMatch(/^coordination-apiserver lock: holds default\/x as .+\n$/);
  expect(await stderrOf('lock', 'x', '--', 'no-such-program')).toMatch(/^coordination-apiserver lock: .*no-such-program.*\n$/);
  expect(await stderrOf('elect', 'x')).toBe(
    'coordination-apiserver elect: the command is missing: it comes after "--" (coordination-apiserver elect --help)\n',
  );
});

test('health exits with 0 for a healthy server and 1 for an unreachable one', async () => {
  for (const endpoint of [[], ['livez'], ['healthz']]) {
    expect(await runCommand(['health', ...endpoint, '--data-dir', server.dataDir])).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  }
  const gone = path.join(scratch, 'gone');
  cpSync(server.dataDir, gone, { recursive: true });
  const file = path.join(gone, 'admin.kubeconfig');
  writeFileSync(file, readFileSync(file, 'utf8').replace(server.url, 'https://127.0.0.1:1'));
  expect(await failureOf(['health', '--data-dir', gone])).toMatch(/^error: cannot reach https:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
});

test('migrate shows pending migrations, applies them once, and leaves an embedded database to the server', async () => {
  const states = async (verb: string) => {
    const { stdout } = await runCommand(['migrate', verb, '-o', 'json', '--database-url', empty.url]);
    return (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
  };
  expect(new Set(await states('status'))).toEqual(new Set(['pending']));
  expect(new Set(await states('up'))).toEqual(new Set(['applied']));
  expect(new Set(await states('up'))).toEqual(new Set(['applied']));
  const { stdout } = await runCommand(['migrate', 'status'], { DATABASE_URL: empty.url });
  expect(stdout).toMatch(
    /^MIGRATION +STATE +LOCKS BRIEFLY\n0001_baseline +applied *\n0002_tables_apart +applied *\nfunctions-\w+ +applied *\n/,
  );
  expect(await failureOf(['migrate', 'up'])).toMatch(/^error: the server migrates the embedded PostgreSQL at each start/);
  expect(await failureOf(['migrate', 'status', '--database-url', 'postgresql://u:p@127.0.0.1:1/d'])).toMatch(
    /^error: cannot reach the database/,
  );
});

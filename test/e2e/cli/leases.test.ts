import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { parse } from 'yaml';
import { forAllTests } from '../../support/for-tests.js';
import { ask, createLease, ServerRun } from '../lifecycle/server-run.js';
import { startServerProcess } from '../../support/server-process.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { eventually } from '../../support/eventually.js';
import { failureOf, runCommand } from './run-command.js';

const server = forAllTests(() => startServerProcess());

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MERGE = 'application/merge-patch+json';
const write = (name: string, spec: object) => ask(`${server.url}${LEASES}/${name}`, server.dataDir, 'PATCH', { spec }, MERGE);

test('leases lists leases and their holders, as text and as data', async () => {
  for (const name of ['expired', 'free', 'held']) await createLease(server.url, server.dataDir, name);
  const renewTime = (ms: number) => new Date(Date.now() + ms).toISOString().replace('Z', '000Z');
  await write('held', { leaseDurationSeconds: 3600, renewTime: renewTime(0) });
  await write('expired', { leaseDurationSeconds: 1, renewTime: renewTime(-65_000) });
  await write('free', { holderIdentity: '' });
  const only = ['leases', '--namespace', 'default', '--data-dir', server.dataDir];
  // It counts from when the server got it, whatever the client's clock said.
  const stdout = await eventually(async () => {
    const text = (await runCommand(only)).stdout;
    return /expired +EXPIRED/.test(text) ? text : undefined;
  });
  expect(stdout).toMatch(
    /^LEASE +STATE +HOLDER +REMAINING +REVISION\ndefault\/expired +EXPIRED +me +\d+s ago +\d+\ndefault\/free +FREE +\d+\n/,
  );
  expect(stdout).toMatch(/default\/held +HELD +me +(59m|60m) +\d+\n$/);
  const json = JSON.parse((await runCommand([...only, '-o', 'json'])).stdout) as { name: string; state: string }[];
  expect(json.map(({ name, state }) => [name, state])).toEqual([
    ['expired', 'EXPIRED'],
    ['free', 'FREE'],
    ['held', 'HELD'],
  ]);
  expect(await failureOf(['leases', '--kubeconfig', '/no/such/file'])).toMatch(/^error: cannot read the kubeconfig/);
});

test('leases finds the server of $KUBECONFIG, if no flag names another', async () => {
  const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
  const listed = await runCommand(['leases', '-n', 'none-here'], { KUBECONFIG: `/no/such/file:${kubeconfig}` });
  expect(listed).toMatchObject({ code: 0, stderr: 'no leases found\n' });
  expect(await failureOf(['leases'], { KUBECONFIG: '/no/such/file' })).toMatch(/^error: cannot read the kubeconfig \/no\/such\/file/);
  const named = await runCommand(['leases', '--data-dir', server.dataDir], { KUBECONFIG: '/no/such/file' });
  expect(named.code).toBe(0);
  // kubectl merges them
  const { clusters, ...rest } = parse(readFileSync(kubeconfig, 'utf8')) as Record<string, unknown>;
  const parts = [rest, { clusters }].map((part, at) => {
    const file = path.join(server.dataDir, `part-${at}`);
    writeFileSync(file, JSON.stringify(part));
    return file;
  });
  expect(await runCommand(['leases', '-n', 'none-here'], { KUBECONFIG: parts.join(':') })).toMatchObject({ stderr: 'no leases found\n' });
});

test('a holder cannot forge rows or colours', async () => {
  await createLease(server.url, server.dataDir, 'hostile');
  await write('hostile', { holderIdentity: 'x\u001b[31m\nforged' });
  expect((await runCommand(['leases', '-n', 'default', '--data-dir', server.dataDir])).stdout).toContain('x\\u{1b}[31m\\u{a}forged');
  await ask(`${server.url}${LEASES}/hostile`, server.dataDir, 'DELETE');
});

test.each([
  ['leases', '-o', 'yaml'],
  ['leases', '-o', 'json'],
  ['export', '-o', 'yaml'],
  ['export', '-o', 'json'],
])('a holder cannot act on the terminal through %s %s %s, and is told whole', async (...args) => {
  const holderIdentity = 'x\u001b[31m\u009b31m\u0085\u007f\u202e\u2028y';
  const name = `controls-${args[0]}-${args[2]}`;
  await createLease(server.url, server.dataDir, name);
  await write(name, { holderIdentity });
  const { stdout } = await runCommand([...args, '--namespace', 'default', '--data-dir', server.dataDir]);
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
  expect(JSON.stringify(parse(stdout))).toContain(JSON.stringify(holderIdentity));
  await ask(`${server.url}${LEASES}/${name}`, server.dataDir, 'DELETE');
});

test('on a terminal no line is wider than it is, and what does not fit is wrapped, so that nothing is left out there or elsewhere', async () => {
  const holders = ['pod-a', 'pod-b'].map((end) => `payments-${'ø'.repeat(230)}-${end}`).concat('支付服务-主节点-🚀🚀');
  const names = holders.map((_, at) => `long-${at}`);
  for (const [at, holderIdentity] of holders.entries()) {
    await createLease(server.url, server.dataDir, names[at] ?? '');
    await write(names[at] ?? '', { holderIdentity, leaseDurationSeconds: 3600 });
  }
  const args = ['leases', '-n', 'default', '--data-dir', server.dataDir];
  const line = `stty cols 60; ${[process.execPath, PROGRAM, ...args].join(' ')}`;
  const { stdout } = spawnSync('script', ['--quiet', '--return', '--command', line, '/dev/null'], { encoding: 'utf8' });
  const lines = stripVTControlCharacters(stdout).split('\r\n');
  expect(lines.filter((row) => stringWidth(row) > 60)).toEqual([]);
  expect(stdout).not.toContain('…');
  expect(stdout.match(/ø/g)).toHaveLength(2 * 230);
  const piped = (await runCommand(args)).stdout;
  for (const holder of holders) expect(piped).toContain(`${holder} `);
  for (const name of names) await ask(`${server.url}${LEASES}/${name}`, server.dataDir, 'DELETE');
});

test('leases --watch reports changes, expiry and deletions', async () => {
  const run = new ServerRun(['leases', '--watch', '--namespace', 'default', '--data-dir', server.dataDir]);
  const shows = async (pattern: RegExp) => {
    while (!pattern.test(run.stdout)) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await shows(/default\/held +HELD +me/);
  await write('free', { holderIdentity: 'other', leaseDurationSeconds: 1, renewTime: new Date().toISOString().replace('Z', '000Z') });
  await shows(/default\/free +HELD +other[^]*default\/free +EXPIRED +other/);
  await ask(`${server.url}${LEASES}/free`, server.dataDir, 'DELETE');
  await shows(/default\/free +DELETED/);
  const long = `a-${'very-'.repeat(10)}long-name`;
  await createLease(server.url, server.dataDir, long);
  await shows(new RegExp(`LEASE {56,}STATE.*\\ndefault/${long}  HELD`));
  await run.end('SIGINT');
  expect(run.stderr).not.toContain('no word from the server');
});

test.each([['leases'], ['history', 'default/one'], ['doctor', 'lease', 'one']])(
  '%s says that a server that hangs does not answer',
  async (...command) => {
    server.signal('SIGSTOP');
    try {
      expect(await failureOf([...command, '--data-dir', server.dataDir])).toBe(
        `error: cannot reach ${server.url}: no answer within 10000 ms`,
      );
    } finally {
      server.signal('SIGCONT');
    }
  },
);

test('leases --watch lets no lease expire while the server says nothing, and says so', async () => {
  await createLease(server.url, server.dataDir, 'watched');
  const run = new ServerRun(['leases', '--watch', '--namespace', 'default', '--data-dir', server.dataDir]);
  await eventually(() => run.stdout.includes('default/watched '));
  await write('watched', { holderIdentity: 'brief', leaseDurationSeconds: 4, renewTime: new Date().toISOString().replace('Z', '000Z') });
  await eventually(() => /default\/watched +HELD +brief/.test(run.stdout));
  server.signal('SIGSTOP');
  try {
    await eventually(() => /^no word from the server for \d+ s: what happens to the leases is unknown/m.test(run.stderr));
    expect(run.stdout).not.toMatch(/default\/watched +EXPIRED/);
  } finally {
    server.signal('SIGCONT');
  }
  await eventually(() => run.stderr.includes('the server answers again') && /default\/watched +EXPIRED/.test(run.stdout));
  await run.end('SIGINT');
});

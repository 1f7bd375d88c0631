import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../support/http-client.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { startTestServerProcess } from '../../support/test-server-process.js';

let folder: string;
let kubeconfig: string;
let onTestFinished: () => Promise<unknown> = () => Promise.resolve();
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'test-server-program-'));
  kubeconfig = path.join(folder, 'kubeconfig');
});
afterEach(async () => {
  await onTestFinished();
  rmSync(folder, { recursive: true });
});

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

it('test-server prints one line, serves with a private kubeconfig, and ends with its input', async () => {
  const server = await startTestServerProcess();
  onTestFinished = () => server.stop();
  expect(server.output()).toBe(`test server ready at ${server.url} with kubeconfig ${server.kubeconfigFile}\n`);
  expect(statSync(server.kubeconfigFile).mode & 0o777).toBe(0o600);
  const headers = { authorization: `Bearer ${server.token}` };
  expect((await ask(`${server.url}/testing/clock`, { method: 'POST', body: { by: '20s' }, headers })).json).toMatchObject({ ahead: 20000 });
  expect(await server.stop()).toBe(0);
  expect(existsSync(server.kubeconfigFile)).toBe(false);
  expect(isRunning(server.pid)).toBe(false);
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('test-server ends at %s with code 0 and leaves nothing behind', async (signal) => {
  const child = spawn(process.execPath, [PROGRAM, 'test-server', `--kubeconfig-out=${kubeconfig}`], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await eventually(() => existsSync(kubeconfig));
  child.kill(signal);
  expect(await ended).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

it('test-server ends with its parent, also if its input stays open', async () => {
  // the shell ends at once, and leaves the server behind
  const script =
    '"$0" "$1" test-server --kubeconfig-out="$2" </dev/null >/dev/null 2>&1 & echo $!; while ! [ -e "$2" ]; do sleep 0.05; done';
  const { stdout } = spawnSync('sh', ['-c', script, process.execPath, PROGRAM, kubeconfig], { encoding: 'utf8' });
  await eventually(() => !isRunning(Number(stdout)));
  expect(existsSync(kubeconfig)).toBe(false);
});

it('test-server refuses unusable arguments in one line', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, 'test-server', ...args], { encoding: 'utf8' });
  expect(run().stderr).toBe("error: required option '--kubeconfig-out <file>' not specified\n");
  expect(run(`--kubeconfig-out=${folder}/absent/file`).stderr).toMatch(/^error: cannot write .*\/absent\/file: ENOENT.*\n$/);
  expect(run(`--kubeconfig-out=${kubeconfig}`, '--authorization-mode=Nonsense').stderr).toMatch(/^error: invalid value .*\n$/);
  // settings of serve that are in no help, and those of what is kept
  expect(run(`--kubeconfig-out=${kubeconfig}`, '--max-watches-per-user=x').stderr).toMatch(
    /^error: invalid value "x" for --max-watches.*\n$/,
  );
  for (const option of ['--database-url', '--data-dir', '--workers']) {
    expect(run(`--kubeconfig-out=${kubeconfig}`, `${option}=1`).stderr).toBe(`error: unknown option '${option}'\n`);
  }
  expect(run(`--kubeconfig-out=${kubeconfig}`, '--token-auth-file=/absent').stderr).toMatch(/^error: .*\/absent.*\n$/);
  expect(readdirSync(folder)).toEqual([]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type KubeconfigOptions, parseKubeconfig } from '../../src/server/tls/admin-kubeconfig.js';
import { PROGRAM } from './program-under-test.js';

export interface TestServerProcess extends KubeconfigOptions {
  readonly url: string;
  readonly pid: number;
  /** The file of the kubeconfig, in a folder of its own. */
  readonly kubeconfigFile: string;
  /** Everything that it has printed. */
  output(): string;
  /** Ends its input, waits for its end, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `test-server` of the program under test. */
export async function startTestServerProcess(
  options: { readonly tokens?: readonly string[]; readonly flags?: readonly string[] } = {},
): Promise<TestServerProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'test-server-'));
  const kubeconfigFile = path.join(folder, 'kubeconfig');
  const tokenFile = path.join(folder, 'tokens.csv');
  await writeFile(tokenFile, (options.tokens ?? []).join('\n'), { mode: 0o600 });
  const args = ['test-server', `--kubeconfig-out=${kubeconfigFile}`, `--token-auth-file=${tokenFile}`, ...(options.flags ?? [])];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('\n') && output.includes('ready at')) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => reject(new Error(`the test server ended with code ${code} before it was ready:\n${output}`)));
  });
  await ready;
  const access = parseKubeconfig(await readFile(kubeconfigFile, 'utf8'));
  if (!access) throw new Error('the test server wrote no kubeconfig');
  return {
    ...access,
    url: access.server,
    pid: child.pid ?? 0,
    kubeconfigFile,
    output: () => output,
    stop: async () => {
      child.stdin.end();
      const [code] = await exited;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

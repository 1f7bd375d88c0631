import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ask as askTrusting } from '../../support/http-client.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { UNUSED_FOLDER } from '../../support/unused-folder.js';
import { cleanEnvironment } from '../../support/clean-environment.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The current folder; by default one in the repository where no server has run. */
  readonly folder?: string;
  /** Runs `npm start` instead of the program. */
  readonly npm?: boolean;
  /** Runs until the end of the file unless a test ends it; the others end with their test. */
  readonly throughout?: boolean;
}

const runs = new Set<ServerRun>();
const throughout = new Set<ServerRun>();
afterEach(() => endAll(runs));
afterAll(() => endAll(throughout));

async function endAll(ending: Set<ServerRun>): Promise<void> {
  for (const run of ending) await run.end('SIGKILL');
  ending.clear();
}

/** One run of the program as a user starts it; only the test's settings configure it, not the environment. */
export class ServerRun {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended the program. */
  readonly ended: Promise<number | NodeJS.Signals>;

  constructor(args: readonly string[], options: RunOptions = {}) {
    const [file, before] = options.npm ? ['npm', ['start', '--']] : [process.execPath, [PROGRAM]];
    this.child = spawn(file, [...before, ...args], {
      cwd: options.folder ?? (options.npm ? ROOT : UNUSED_FOLDER),
      env: { ...cleanEnvironment(), ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.once('close', (code, signal) => resolve(code ?? signal ?? -1)));
    (options.throughout ? throughout : runs).add(this);
  }

  /** Resolves with the printed URL; rejects if the program ends first. */
  async ready(): Promise<string> {
    let over = false;
    void this.ended.then(() => (over = true));
    for (;;) {
      const url = /serving at (https:\S+)/.exec(this.stdout)?.[1];
      if (url !== undefined && this.stdout.includes('kubectl')) return url;
      if (over) throw new Error(`the server did not start:\n${this.stdout}${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends one request with the admin token of a data directory, trusting only the certificate authority there. */
export async function ask(url: string, dataDir: string, method = 'GET', body?: object, type = 'application/json'): Promise<Answer> {
  const [token, ca] = ['admin-token', 'ca.crt'].map((name) => readFileSync(path.join(dataDir, 'certs', name), 'utf8').trim());
  const headers = { authorization: `Bearer ${token}`, 'content-type': body ? type : '' };
  const { status, text } = await askTrusting(url, { method, headers, body, ca });
  return { status, body: text };
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export async function createLease(url: string, dataDir: string, name: string): Promise<void> {
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: { holderIdentity: 'me' } };
  const { status, body } = await ask(url + LEASES, dataDir, 'POST', lease);
  if (status !== 201) throw new Error(`creating a lease answered ${status}: ${body}`);
}

export async function leaseNames(url: string, dataDir: string): Promise<string[]> {
  const { body } = await ask(url + LEASES, dataDir);
  return (JSON.parse(body) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
}

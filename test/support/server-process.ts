import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ADMIN_KUBECONFIG, parseKubeconfig } from '../../src/server/tls/admin-kubeconfig.js';
import { cleanEnvironment } from './clean-environment.js';
import { PROGRAM } from './program-under-test.js';
import { storeUrl } from './store-url.js';
import { UNUSED_FOLDER } from './unused-folder.js';
import { createTestDatabase } from './test-database.js';

export interface ServerProcessOptions {
  /** Lines of the token file; default: one admin with the token `admin-token`. */
  tokens?: readonly string[];
  flags?: readonly string[];
  /** Flags of Node itself; default: that of `npm start`. */
  nodeFlags?: readonly string[];
  /** A database shared with another server; default: a new one, dropped at the end. */
  databaseUrl?: string;
  /** An existing data directory; default: a new one, removed at the end. */
  dataDir?: string;
  port?: number;
  /** The file to run; default: the program under test. */
  program?: string;
  /** Where it keeps objects; default: as the variable COORDINATION_TEST_STORE says, but in PostgreSQL with a database, folder or program of the test. */
  store?: 'memory' | 'postgres';
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** All output to stdout and stderr so far. */
  output(): string;
  /** Null while the process runs, and after a signal ended it. */
  exitCode(): number | null;
  /** Sends SIGTERM and waits for the exit; removes what was created for this server. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the exit; keeps data and database. */
  kill(): Promise<void>;
  /** Sends a signal without waiting. */
  signal(name: NodeJS.Signals): void;
}

const STORE_VARIABLE = 'COORDINATION_TEST_STORE';

/** Flags for every server, in addition to the test's. */
export const FLAGS_VARIABLE = 'COORDINATION_TEST_FLAGS';

/** Starts the built server as a separate process, as a user would, and resolves once it serves. */
export async function startServerProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const inMemory = isInMemory(options);
  const database = options.databaseUrl === undefined && !inMemory ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'coordination-test-')));
  const tokenFile = path.join(dataDir, 'tokens.csv');
  await writeFile(tokenFile, (options.tokens ?? ['admin-token,admin,admin,"system:masters"']).join('\n'), { mode: 0o600 });
  const place = inMemory
    ? ['test-server', `--kubeconfig-out=${path.join(dataDir, ADMIN_KUBECONFIG)}`]
    : [`--data-dir=${dataDir}`, `--database-url=${storeUrl(databaseUrl)}`];
  const args = [...programOf(options), ...place, `--token-auth-file=${tokenFile}`, ...flagsOf(options)];
  const child = spawn(process.execPath, args, { cwd: UNUSED_FOLDER, stdio: ['ignore', 'pipe', 'pipe'], env: cleanEnvironment() });
  const exited = once(child, 'exit');
  let output = '';
  const url = await readyUrl(child, (text) => (output += text));
  if (inMemory) await writeAuthority(dataDir);

  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  const stop = async () => {
    await end('SIGTERM');
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    await database?.drop();
  };
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    dataDir,
    databaseUrl,
    output: () => output,
    exitCode: () => child.exitCode,
    kill: () => end('SIGKILL'),
    signal: (name) => void child.kill(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Node's flags, and the program. */
function programOf({ nodeFlags = ['--max-semi-space-size=16'], program = PROGRAM }: ServerProcessOptions): string[] {
  return [...nodeFlags, program];
}

function flagsOf({ port = 0, flags = [] }: ServerProcessOptions): string[] {
  return [`--secure-port=${port}`, ...(process.env[FLAGS_VARIABLE]?.split(' ') ?? []), ...flags];
}

function isInMemory({ store, databaseUrl, dataDir, program }: ServerProcessOptions): boolean {
  if (store !== undefined) return store === 'memory';
  return process.env[STORE_VARIABLE] === 'memory' && (databaseUrl ?? dataDir ?? program) === undefined;
}

/** Where a server with a data directory has it. */
async function writeAuthority(dataDir: string): Promise<void> {
  const access = parseKubeconfig(await readFile(path.join(dataDir, ADMIN_KUBECONFIG), 'utf8'));
  await mkdir(path.join(dataDir, 'certs'));
  await writeFile(path.join(dataDir, 'certs/ca.crt'), access?.authorityCert ?? '');
}

function readyUrl(child: ChildProcess, keep: (text: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const take = (chunk: Buffer) => {
      const text = chunk.toString();
      keep(text);
      seen += text;
      const url = /https:\/\/127\.0\.0\.1:\d+/.exec(seen)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('exit', (code) => reject(new Error(`the server ended with code ${code} before it was ready:\n${seen}`)));
  });
}

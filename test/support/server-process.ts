import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInherited } from './http2-implementation.js';
import { PROGRAM } from './program-under-test.js';
import { storeUrl } from './store-url.js';
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
}

export interface ServerProcess {
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

/** Flags for every server, in addition to the test's. */
export const FLAGS_VARIABLE = 'COORDINATION_TEST_FLAGS';

const root = path.resolve(import.meta.dirname, '../..');

/** Starts the built server as a separate process, as a user would, and resolves once it serves. */
export async function startServerProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'coordination-test-')));
  const tokenFile = path.join(dataDir, 'tokens.csv');
  await writeFile(tokenFile, (options.tokens ?? ['admin-token,admin,admin,"system:masters"']).join('\n'), { mode: 0o600 });
  const args = [
    ...programOf(options),
    `--data-dir=${dataDir}`,
    `--token-auth-file=${tokenFile}`,
    `--database-url=${storeUrl(databaseUrl)}`,
    ...(process.env[FLAGS_VARIABLE]?.split(' ') ?? []),
    ...(options.flags ?? []),
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: cleanEnvironment() });
  const exited = once(child, 'exit');
  let output = '';
  const url = await readyUrl(child, (text) => (output += text));

  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
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
    stop: async () => {
      await end('SIGTERM');
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

/** Node's flags, the program, and its port. */
function programOf({ nodeFlags = ['--max-semi-space-size=16'], program = PROGRAM, port = 0 }: ServerProcessOptions): string[] {
  return [...nodeFlags, program, `--secure-port=${port}`];
}

/** The environment without variables that would configure the server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isInherited(name)));
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

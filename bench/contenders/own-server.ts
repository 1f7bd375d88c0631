import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { postmasterOf } from '../measure/postmaster.js';
import { NODE_FLAGS } from './node-flags.js';
import type { Subject } from './contender.js';

export interface OwnServerOptions {
  /** A built checkout; this one by default. */
  readonly checkout?: string;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** A PostgreSQL to use instead of the embedded one. */
  readonly databaseUrl?: string;
}

/** A user without administrator rights. */
export const USER_TOKEN = 'bench-user-token';
const TOKENS = `bench-token,bench,bench,"system:masters"\n${USER_TOKEN},ann,ann,"g0,g1,g2"\n`;

/** A built server as a user would start it: RBAC, and its own embedded PostgreSQL with default settings. `stop` removes everything. */
export async function startOwnServer(options: OwnServerOptions = {}): Promise<Subject> {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-bench-'));
  const dataDir = path.join(dir, 'data');
  const tokenFile = path.join(dir, 'tokens.csv');
  writeFileSync(tokenFile, TOKENS, { mode: 0o600 });
  const flags = options.flags ?? [];
  const args = [
    ...NODE_FLAGS,
    ...(options.nodeFlags ?? []),
    path.join(options.checkout ?? '.', 'dist/main.js'),
    '--secure-port=0',
    `--data-dir=${dataDir}`,
    `--token-auth-file=${tokenFile}`,
    ...(flags.some((flag) => flag.startsWith('--authorization-mode=')) ? [] : ['--authorization-mode=RBAC']),
    ...(options.databaseUrl === undefined ? [] : [`--database-url=${options.databaseUrl}`]),
    ...flags,
  ];
  const log = openSync(path.join(dir, 'log'), 'w');
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  const url = await new Promise<string>((resolve, reject) => {
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /https:\/\/127\.0\.0\.1:\d+/.exec(seen)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => reject(new Error(`the server did not start:\n${seen}${readFileSync(path.join(dir, 'log'), 'utf8')}`)));
  });
  const databaseUrl = options.databaseUrl ?? embeddedUrl(dataDir);
  const database = await postmasterOf(databaseUrl);
  return { url, token: 'bench-token', processes: { server: [child.pid ?? 0], database: [database] }, databaseUrl, stop };
}

function embeddedUrl(dataDir: string): string {
  const postgres = new EmbeddedPostgres({ dir: path.join(dataDir, 'postgres') });
  if (!postgres.attach()) throw new Error('the server runs without its embedded PostgreSQL');
  return postgres.url();
}

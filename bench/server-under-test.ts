import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '../src/server/embedded-postgres/embedded-postgres.js';

export interface ServerUnderTest {
  readonly url: string;
  /** Absent for a server that is another's. */
  readonly pid?: number;
  readonly token: string;
  /** Absent for a server of which only the address is known. */
  readonly databaseUrl?: string;
  stop(): Promise<void>;
}

/** A user without the rights of an administrator. */
export const USER_TOKEN = 'bench-user-token';

/** The built server on a fresh embedded PostgreSQL with its shipped settings, both ended and removed by `stop`. */
export async function startServerUnderTest(flags: readonly string[], nodeFlags: readonly string[] = []): Promise<ServerUnderTest> {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-bench-'));
  const postgres = new EmbeddedPostgres({ dir: path.join(dir, 'pg') });
  await postgres.start();
  const tokenFile = path.join(dir, 'tokens.csv');
  writeFileSync(tokenFile, `bench-token,bench,bench,"system:masters"\n${USER_TOKEN},ann,ann,"g0,g1,g2"\n`, { mode: 0o600 });
  const databaseUrl = postgres.url();
  const args = [
    ...nodeFlags,
    'dist/main.js',
    '--secure-port=0',
    `--data-dir=${dir}/data`,
    `--token-auth-file=${tokenFile}`,
    `--database-url=${databaseUrl}`,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /https:\/\/127\.0\.0\.1:\d+/.exec(seen)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => reject(new Error(`the server did not start:\n${seen}`)));
  });
  return {
    url,
    pid: child.pid,
    token: 'bench-token',
    databaseUrl,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

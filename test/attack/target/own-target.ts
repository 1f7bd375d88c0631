import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment } from '../../support/clean-environment.js';
import { endChild } from '../../support/end-child.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { keepTrack } from '../child-processes.js';
import { TOKEN_LINES } from '../identities.js';
import type { AttackTarget } from './attack-target.js';
import { guardMemory } from './memory-guard.js';
import { ServerUsage } from '../../support/server-usage.js';

/** Fraction of the memory for V8's old generation; the rest is for the young generation, buffers, code and stacks. */
const HEAP_SHARE = 5 / 8;
const START_MS = 60_000;
const STOP_MS = 15_000;
const LOG_TAIL = 1500;

export interface OwnTargetOptions {
  /** A built checkout. */
  readonly checkout: string;
  /** MiB the server may use before it is killed, like a container's limit; 0 means no limit. */
  readonly memoryMiB: number;
  readonly flags: readonly string[];
  /** Directory of a cgroup that the server joins. */
  readonly cgroup?: string | undefined;
  /** Flags for Node. */
  readonly nodeFlags?: readonly string[];
}

export interface OwnTarget extends AttackTarget {
  readonly logFile: string;
}

/** Starts the built server in a child process, on a new database of the PostgreSQL that the run shares. */
export async function startOwnTarget({ checkout, memoryMiB, flags, cgroup, nodeFlags = [] }: OwnTargetOptions): Promise<OwnTarget> {
  const database = await createEmptyDatabase();
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-attack-'));
  const log = path.join(dir, 'log');
  writeFileSync(path.join(dir, 'tokens.csv'), TOKEN_LINES.join('\n'), { mode: 0o600 });
  const heap = memoryMiB === 0 ? [] : [`--max-old-space-size=${Math.round(memoryMiB * HEAP_SHARE)}`];
  const args = [
    ...heap,
    ...nodeFlags,
    // The same value as in `npm start`.
    '--max-semi-space-size=16',
    '--use-largepages=silent',
    'dist/main.js',
    '--secure-port=0',
    '--authorization-mode=Node,RBAC',
    `--data-dir=${dir}`,
    `--token-auth-file=${path.join(dir, 'tokens.csv')}`,
    `--database-url=${database.url}`,
    ...flags,
  ];
  const output = openSync(log, 'w');
  const child = keepTrack(spawn(process.execPath, args, { cwd: checkout, env: cleanEnvironment(), stdio: ['ignore', output, output] }));
  closeSync(output);
  if (cgroup !== undefined) writeFileSync(path.join(cgroup, 'cgroup.procs'), String(child.pid));
  const usage = new ServerUsage(child.pid ?? 0);
  const guard = guardMemory(usage, memoryMiB, () => child.kill('SIGKILL'));
  const stop = async () => {
    guard.stop();
    await endChild(child, STOP_MS);
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  };
  const death = () => {
    if (child.exitCode === null && child.signalCode === null) return undefined;
    return guard.verdict ?? `ended with ${child.exitCode ?? child.signalCode}: ${firstFatalLine(log)}`;
  };
  const url = await servedUrl(log, death).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, usage, isForeign: false, death, logFile: log, logBytes: () => statSync(log).size, stop };
}

async function servedUrl(log: string, death: () => string | undefined): Promise<string> {
  const until = Date.now() + START_MS;
  for (;;) {
    const text = readFileSync(log, 'utf8');
    const url = /https:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (url !== undefined) return url;
    if (death() !== undefined || Date.now() > until) throw new Error(`the server did not start:\n${text.slice(-LOG_TAIL)}`);
    await sleep(50);
  }
}

/** The log line with the cause of death, or the last line. */
function firstFatalLine(log: string): string {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  return (lines.find((line) => /FATAL|Uncaught|"level":"fatal"/.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;

/** A program that runs in a directory of its own until `stop`, which removes both. */
export interface StartedProgram {
  readonly stop: () => Promise<void>;
}

/** `argumentsIn` gets the directory. Resolves once `isReady` does not reject. */
export async function startProgram(
  file: string,
  argumentsIn: (dir: string) => readonly string[],
  isReady: () => Promise<unknown>,
): Promise<StartedProgram> {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-locks-'));
  const logFile = path.join(dir, 'log');
  const log = openSync(logFile, 'w');
  const child = spawn(file, argumentsIn(dir), { cwd: dir, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(child, 'exit').catch(() => undefined);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + TIMEOUT_MS; ; await sleep(50)) {
    const failure = await isReady().then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    if (!failure) return { stop };
    if (child.exitCode === null && Date.now() < deadline) continue;
    const said = readFileSync(logFile, 'utf8').slice(-2000);
    await stop();
    throw new Error(`${file} does not start (${failure.message}):\n${said}`);
  }
}

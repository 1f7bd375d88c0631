import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
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

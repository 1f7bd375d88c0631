import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import {
  type Invocation,
  type Runner,
  ownRunner,
  rootRunner,
  unprivilegedAccount,
} from '../../../src/server/embedded-postgres/process-account.js';

export interface Outcome {
  readonly code: number | string;
  readonly output: string;
}

/** Runs PostgreSQL, its managers and etcd under an account that may run PostgreSQL, each in its own directory and with its own log. */
export class ProgramRunner {
  readonly #runner: Runner;
  readonly #environment: NodeJS.ProcessEnv;

  /** `dir` must exist; `program` is one of those it will run; `binDir` has PostgreSQL's programs. */
  constructor(dir: string, program: string, binDir: string, environment: NodeJS.ProcessEnv = {}) {
    this.#runner = process.getuid?.() === 0 ? rootRunner(unprivilegedAccount(dir), program, dir) : ownRunner();
    this.#environment = {
      PATH: `${binDir}:/usr/local/bin:/usr/bin:/bin`,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      HOME: dir,
      XDG_CONFIG_HOME: `${dir}/config`,
      XDG_DATA_HOME: `${dir}/share`,
      XDG_RUNTIME_DIR: `${dir}/run`,
      PYTHONUNBUFFERED: '1',
      ...environment,
    };
  }

  makeDirectory(dir: string): void {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.own(dir);
  }

  writeFile(file: string, text: string): void {
    writeFileSync(file, text, { mode: 0o600 });
    this.own(file);
  }

  own(file: string): void {
    const { account } = this.#runner;
    if (account) chownSync(file, account.uid, account.gid);
  }

  /** Starts a program in `cwd`; its output is appended to `logFile`. A separate session protects it from Ctrl-C. */
  start(file: string, args: readonly string[], cwd: string, logFile: string): ChildProcess {
    return this.#start(this.#runner.invoke(file, args), cwd, logFile);
  }

  /** The same under the account of this process, for programs that need not run as PostgreSQL's account. */
  startAsSelf(file: string, args: readonly string[], cwd: string, logFile: string): ChildProcess {
    return this.#start({ file, args }, cwd, logFile);
  }

  /** Runs a program to its end. */
  run(file: string, args: readonly string[], cwd: string, timeoutMs = 60_000): Promise<Outcome> {
    const call = this.#runner.invoke(file, args);
    const { uid, gid } = call;
    return new Promise((resolve) => {
      const child = spawn(call.file, [...call.args], { cwd, env: this.#environment, uid, gid, detached: true, timeout: timeoutMs });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.once('error', (error) => resolve({ code: error.message, output }));
      child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', output }));
    });
  }

  #start(call: Invocation, cwd: string, logFile: string): ChildProcess {
    const log = openSync(logFile, 'a', 0o600);
    try {
      const { uid, gid } = call;
      const stdio = ['ignore', log, log] as const;
      const child = spawn(call.file, [...call.args], { cwd, env: this.#environment, uid, gid, detached: true, stdio: [...stdio] });
      child.on('error', (error) => console.error(`cannot run ${call.file}: ${error.message}`));
      return child;
    } finally {
      closeSync(log);
    }
  }
}

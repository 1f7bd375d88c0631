import path from 'node:path';
import { forAllTests } from '../../../../test/support/for-tests.js';
import { scratchDirectory } from '../../../../test/support/scratch-directory.js';
import { type ServerProcess, startServerProcess } from '../../../../test/support/server-process.js';
import { LeaseReader } from './lease-reader.js';
import { kubeconfigOf, LockProcess } from './lock-process.js';

/** A server for the tests of one file, with a directory for their files. */
export class LockServer {
  readonly server: ServerProcess;
  readonly leases: LeaseReader;
  readonly #dir: string;
  readonly #started: LockProcess[] = [];

  private constructor(server: ServerProcess, leases: LeaseReader, dir: string) {
    this.server = server;
    this.leases = leases;
    this.#dir = dir;
  }

  /** Started before the first test and stopped after the last one, with what a failed test has left behind. */
  static forThisFile(): LockServer {
    const dir = scratchDirectory();
    const server = forAllTests(() => startServerProcess());
    return forAllTests(async () => new LockServer(server, await LeaseReader.of(server), dir));
  }

  file(name: string): string {
    return path.join(this.#dir, name);
  }

  /** A run of the program against the server. */
  start(...args: string[]): LockProcess {
    const process = new LockProcess(kubeconfigOf(this.server), args);
    this.#started.push(process);
    return process;
  }

  [Symbol.dispose](): void {
    for (const left of this.#started) left.signal('SIGKILL');
  }
}

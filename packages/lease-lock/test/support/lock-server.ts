import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../../../../test/support/server-process.js';
import { LeaseReader } from './lease-reader.js';
import { kubeconfigOf, LockProcess } from './lock-process.js';

/** A server for the tests of one file, with a directory for their files. */
export class LockServer {
  #server: ServerProcess | undefined;
  #leases: LeaseReader | undefined;
  #dir = '';
  readonly #started: LockProcess[] = [];

  /** Started before the first test and stopped after the last one, with what a failed test has left behind. */
  static forThisFile(): LockServer {
    const own = new LockServer();
    beforeAll(async () => {
      own.#server = await startServerProcess();
      own.#leases = await LeaseReader.of(own.server);
      own.#dir = mkdtempSync(path.join(tmpdir(), 'lease-lock-'));
    });
    afterAll(async () => {
      for (const left of own.#started) left.signal('SIGKILL');
      await own.#server?.stop();
      rmSync(own.#dir, { recursive: true, force: true });
    });
    return own;
  }

  get server(): ServerProcess {
    return started(this.#server);
  }

  get leases(): LeaseReader {
    return started(this.#leases);
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
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the server is started before the first test, not when the file is loaded');
  return part;
}

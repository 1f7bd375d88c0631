import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * A turn that several runs of the program take one after the other, so that servers can be compared during the same minutes without
 * disturbing each other. It is a file in a shared folder with the process id of the run whose turn it is. The turn of a process that has
 * ended is free.
 */
export class ExclusiveTurn {
  readonly #file: string | undefined;
  #held = false;

  /** Without a folder, every turn is free. */
  constructor(folder: string | undefined) {
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    this.#file = path.join(folder, 'turn');
  }

  /** Waits until the turn is free and takes it. */
  async take(): Promise<void> {
    while (!this.#tryToTake()) await sleep(POLL_MS);
  }

  /** Does nothing if the turn is not held. */
  release(): void {
    if (this.#file !== undefined && this.#held) rmSync(this.#file, { force: true });
    this.#held = false;
  }

  #tryToTake(): boolean {
    if (this.#file === undefined || this.#held) return true;
    try {
      writeFileSync(this.#file, String(process.pid), { flag: 'wx' });
      this.#held = true;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isAbandoned(this.#file)) rmSync(this.#file, { force: true });
      return false;
    }
  }
}

function isAbandoned(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

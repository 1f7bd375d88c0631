import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../start-error.js';
import { processIdentity } from './process-identity.js';

/** Keeps a data directory to one server process at a time: a file that names its owner, which a dead owner no longer holds. */
export class DataDirLock {
  readonly #dataDir: string;
  readonly #file: string;
  #content = '';

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#file = path.join(dataDir, 'lock');
  }

  /** Makes the directory when missing. StartError when another server works in it. */
  acquire(): void {
    this.#makeDirectory();
    this.#content = `${process.pid} ${processIdentity(process.pid) ?? ''}\n`;
    const mine = `${this.#file}.${process.pid}`;
    writeFileSync(mine, this.#content, { mode: 0o600 });
    try {
      // A link makes the file with its content at once, or not at all.
      while (!this.#link(mine)) this.#removeStale();
    } finally {
      rmSync(mine, { force: true });
    }
  }

  release(): void {
    if (this.#read() === this.#content) rmSync(this.#file, { force: true });
  }

  #makeDirectory(): void {
    try {
      // As root, PostgreSQL's account has to pass through it; what is private in it has modes of its own.
      mkdirSync(this.#dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    } catch (error) {
      throw new StartError(`cannot make the data directory ${this.#dataDir}: ${(error as Error).message}`);
    }
  }

  #link(from: string): boolean {
    try {
      linkSync(from, this.#file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #removeStale(): void {
    const seen = this.#read();
    if (seen === undefined) return;
    const [pid, ...identity] = seen.trim().split(' ');
    if (processIdentity(Number(pid)) === identity.join(' ')) {
      throw new StartError(
        `another server (process ${pid}) works in the data directory ${this.#dataDir}: stop it, or give another --data-dir`,
      );
    }
    this.#moveAway(seen);
  }

  /** Of two servers that find the same stale file, the slower one would move the faster one's: then it puts it back. */
  #moveAway(stale: string): void {
    const aside = `${this.#file}.${process.pid}.stale`;
    try {
      renameSync(this.#file, aside);
      if (readFileSync(aside, 'utf8') !== stale) this.#link(aside);
      rmSync(aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  #read(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

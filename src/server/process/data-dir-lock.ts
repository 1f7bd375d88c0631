import { execFileSync } from 'node:child_process';
import { type Stats, linkSync, lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory, readIfPresent } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';

/** Limits a data directory to one server process at a time: a file that names its owner, and that expires with the owner. */
export class DataDirLock {
  readonly #dataDir: string;
  readonly #file: string;
  /** Which directory the lock is of. In a file of its own: earlier versions read the lock as a whole. */
  readonly #placeFile: string;
  #content = '';

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#file = path.join(dataDir, 'lock');
    this.#placeFile = path.join(dataDir, 'lock-place');
  }

  /** Creates the directory if missing. StartError if another server uses it. */
  acquire(): void {
    // As root, PostgreSQL's account must pass through the directory; private files in it have modes of their own.
    makeDirectory(this.#dataDir, { what: 'the data directory', mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    this.#content = `${process.pid} ${processIdentity(process.pid) ?? ''}\n`;
    const mine = `${this.#file}.${process.pid}`;
    writeFileSync(mine, this.#content, { mode: 0o600 });
    try {
      // Linking creates the file with its content atomically, or fails.
      while (!this.#link(mine)) this.#removeStale();
      writeFileSync(this.#placeFile, `${inodeOf(this.#dataDir)} ${path.resolve(this.#dataDir)}\n`, { mode: 0o600 });
    } finally {
      rmSync(mine, { force: true });
    }
  }

  /** StartError if another server uses the directory, which need not exist; creates nothing. */
  requireUnused(): void {
    if (!statIfAny(this.#dataDir)?.isDirectory()) return;
    const seen = this.#read();
    if (seen !== undefined) this.#refuseOwner(seen);
  }

  release(): void {
    if (readIfPresent(this.#file) !== this.#content) return;
    rmSync(this.#placeFile, { force: true });
    rmSync(this.#file, { force: true });
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
    this.#refuseOwner(seen);
    this.#moveAway(seen);
  }

  /** Undefined without a lock. */
  #read(): string | undefined {
    const isForeign = lstatSync(this.#file, { throwIfNoEntry: false })?.isFile() === false;
    if (isForeign) throw new StartError(`${this.#file} is not a file that a server has written: remove it`);
    return readIfPresent(this.#file);
  }

  /** Throws if the process that wrote this lock still runs. */
  #refuseOwner(seen: string): void {
    const [pid, ...identity] = seen.trim().split(' ');
    if (processIdentity(Number(pid)) === identity.join(' ')) {
      const original = this.#copiedFrom();
      throw new StartError(
        original === undefined
          ? `another server (process ${pid}) uses the data directory ${this.#dataDir}: stop it, or pass another --data-dir`
          : `another server (process ${pid}) uses the data directory ${original}, of which ${this.#dataDir} is a copy: stop it and copy the directory again, or pass another --data-dir`,
      );
    }
  }

  /** The directory that the lock was copied from, together with the others of its files. */
  #copiedFrom(): string | undefined {
    const [, inode, place] = /^(\S+) (.*)\n$/s.exec(readIfPresent(this.#placeFile) ?? '') ?? [];
    return inode === undefined || inode === inodeOf(this.#dataDir) ? undefined : place;
  }

  /** If two servers find the same stale file, the slower one may move the faster one's file; it then puts it back. */
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
}

/** Undefined where no such path can be. */
function statIfAny(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

function inodeOf(dir: string): string {
  const { dev, ino } = statSync(dir, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * A text that, together with the process id, identifies one process forever: ids are reused, but not within one clock tick. Undefined if no
 * such process runs (a zombie counts as ended).
 */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : portableIdentity(pid);
}

/** Start times are relative to the boot (proc(5), field 22), so the boot id is part of the identity. */
function linuxIdentity(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the command in parentheses and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${bootIdentity()}/${fields[19]}`;
}

function bootIdentity(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Some sandboxes hide it; the start time alone is nearly as good.
    return '';
  }
}

function portableIdentity(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

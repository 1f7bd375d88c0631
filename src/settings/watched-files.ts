import { type BigIntStats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';

/**
 * Polling interval. Polling works on every file system and however files are replaced, including the symbolic links of Kubernetes volumes.
 */
const INTERVAL_MS = 1000;

/** Runs the callback once after this many milliseconds; the returned function cancels it. */
type After = (ms: number, run: () => void) => () => void;

interface Watched {
  readonly files: readonly string[];
  readonly reload: () => void;
  state: string;
}

/** Files that are reloaded when they change while the server runs. */
export class WatchedFiles {
  readonly #after: After;
  readonly #logger: Logger;
  readonly #watched: Watched[] = [];
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(after: After, logger: Logger) {
    this.#after = after;
    this.#logger = logger;
  }

  /**
   * Runs `reload`, once started, whenever one of the files changes. Call it before the files are first read, so that no change is missed.
   * Errors of `reload` are logged, and the previous contents stay in effect until the next change.
   */
  watch(files: readonly string[], reload: () => void): void {
    const given = files.filter((file) => file !== '');
    if (given.length === 0) return;
    this.#watched.push({ files: given, reload, state: given.map(stateNow).join() });
  }

  /** Starts polling. */
  start(): void {
    if (this.#watched.length > 0) this.#wait();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #wait(): void {
    if (this.#closed) return;
    this.#cancel = this.#after(INTERVAL_MS, () => void this.#look().finally(() => this.#wait()));
  }

  async #look(): Promise<void> {
    for (const watched of this.#watched) {
      const state = (await Promise.all(watched.files.map(stateOf))).join();
      if (this.#closed || state === watched.state) continue;
      watched.state = state;
      this.#reload(watched);
    }
  }

  #reload({ files, reload }: Watched): void {
    try {
      reload();
      this.#logger.info({ files }, 'reloaded changed files');
    } catch (err) {
      this.#logger.error({ err, files }, 'cannot use changed files; the previous contents stay in effect');
    }
  }
}

/** A string that changes whenever the file does. */
async function stateOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(describe, absent);
}

function stateNow(file: string): string {
  try {
    return describe(statSync(file, { bigint: true }));
  } catch (error) {
    return absent(error);
  }
}

function describe({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('-');
}

function absent(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'absent';
}

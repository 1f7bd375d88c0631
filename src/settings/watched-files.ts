import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import type { Logger } from 'pino';

/** How often files are looked at. Asking works on every file system and whatever way files are replaced, links of Kubernetes' volumes included. */
const INTERVAL_MS = 1000;

/** Runs the callback once after so many milliseconds; the returned function calls it off. */
type After = (ms: number, run: () => void) => () => void;

interface Watched {
  readonly files: readonly string[];
  readonly reload: () => void;
  state: string;
}

/** Files that are read anew when they change while the server runs. */
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
   * Runs `reload`, once started, whenever one of the files has changed since now; to be called before they are first read. What
   * `reload` throws is logged, and what was read before goes on to count until they change again.
   */
  watch(files: readonly string[], reload: () => void): void {
    const given = files.filter((file) => file !== '');
    if (given.length === 0) return;
    this.#watched.push({ files: given, reload, state: given.map(stateNow).join() });
  }

  /** Begins to look at the files. */
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

/** One text for as long as a file is the same. */
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

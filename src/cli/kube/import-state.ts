import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError } from '../command-error.js';

/** How far an import has come. */
export interface ImportProgress {
  /** The server that is copied from, and the namespace, '' for all: another import does not go on here. */
  readonly source: string;
  readonly namespace: string;
  /** Resources that are done. */
  readonly done: readonly string[];
  /** Where the next one goes on. */
  readonly resource: string;
  readonly continue: string;
  readonly created: number;
  readonly replaced: number;
  readonly skipped: number;
}

/** The file that an interrupted import goes on from. */
export class ImportState {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined: nothing was begun. Throws CommandError for a file that is about something else. */
  load(source: string, namespace: string): ImportProgress | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new CommandError(`cannot read ${this.#file}: ${(error as Error).message}`);
    }
    const progress = parse(text);
    if (progress?.source === source && progress.namespace === namespace) return progress;
    throw new CommandError(`${this.#file} is of another import: remove it, or give another --state file`);
  }

  save(progress: ImportProgress): void {
    const partial = `${this.#file}.partial`;
    writeFileSync(partial, `${JSON.stringify(progress, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, this.#file);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

function parse(text: string): ImportProgress | undefined {
  try {
    return JSON.parse(text) as ImportProgress;
  } catch {
    return undefined;
  }
}

import { readFileSync, rmSync } from 'node:fs';
import { writePrivateFile } from '../../settings/write-private-file.js';
import { CommandError } from '../output/command-error.js';

export interface ImportProgress {
  /** The source server, and the namespace ('' for all); an import of anything else does not resume here. */
  readonly source: string;
  readonly namespace: string;
  /** Finished resources. */
  readonly done: readonly string[];
  /** Where the next run resumes. */
  readonly resource: string;
  readonly continue: string;
  readonly created: number;
  readonly replaced: number;
  readonly skipped: number;
}

/** The file from which an interrupted import resumes. */
export class ImportState {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns undefined if there is no saved state. Throws CommandError if the file belongs to another import. */
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
    throw new CommandError(`${this.#file} belongs to another import: remove it, or pass another --state file`);
  }

  save(progress: ImportProgress): void {
    writePrivateFile(this.#file, `${JSON.stringify(progress, null, 2)}\n`);
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

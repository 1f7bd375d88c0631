import { createHash } from 'node:crypto';

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: 'coordination-apiserver/backup';
  readonly version: 1;
  /** Everything committed up to this revision is in it. */
  readonly revision: number;
  readonly createdAt: string;
  /** What the servers share, sealed with their key. */
  readonly shared: readonly { readonly name: string; readonly value: string }[];
}

/** A line for each object. */
export interface BackupObject {
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

/** The last line: without it, and without the sum of all lines before it, a backup is not whole. */
interface BackupTrailer {
  readonly objects: number;
  readonly sha256: string;
}

/** A file that is no backup, or not a whole one. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The lines of a backup. */
export async function* backupLines(header: BackupHeader, objects: AsyncIterable<BackupObject>): AsyncGenerator<string> {
  const sum = createHash('sha256');
  let count = 0;
  const line = (content: object): string => {
    const text = `${JSON.stringify(content)}\n`;
    sum.update(text);
    return text;
  };
  yield line(header);
  for await (const object of objects) {
    count += 1;
    yield line(object);
  }
  yield `${JSON.stringify({ objects: count, sha256: sum.digest('hex') } satisfies BackupTrailer)}\n`;
}

/** Reads a whole backup. Throws BackupError. */
export async function parseBackup(lines: AsyncIterable<string>): Promise<{ header: BackupHeader; objects: BackupObject[] }> {
  const sum = createHash('sha256');
  const parsed: unknown[] = [];
  let last = '';
  for await (const line of lines) {
    if (last !== '') sum.update(`${last}\n`);
    last = line;
    parsed.push(parse(line, parsed.length + 1));
  }
  const [header, ...objects] = parsed as [BackupHeader | undefined, ...BackupObject[]];
  if (header?.format !== 'coordination-apiserver/backup') throw new BackupError('it is not a backup of coordination-apiserver');
  if ((header.version as number) !== 1) throw new BackupError(`its version ${String(header.version)} is not known to this program`);
  const trailer = objects.pop() as unknown as BackupTrailer | undefined;
  if (trailer?.sha256 === undefined) throw new BackupError('it ends too early');
  if (trailer.objects !== objects.length || trailer.sha256 !== sum.digest('hex')) throw new BackupError('its checksum is wrong');
  return { header, objects };
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BackupError(`its line ${number} is broken`);
  }
}

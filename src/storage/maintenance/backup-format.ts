import { createHash } from 'node:crypto';

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: 'coordination-apiserver/backup';
  readonly version: 1;
  /** The backup contains everything committed up to this revision. */
  readonly revision: number;
  readonly createdAt: string;
  /** The secrets that servers share, encrypted with their key. */
  readonly shared: readonly { readonly name: string; readonly value: string }[];
  /** Absent in backups of programs that knew none. */
  readonly grants?: readonly BackupGrant[];
}

/** What lease_grant has granted to a role of the database, by its name. */
export interface BackupGrant {
  readonly role: string;
  readonly namespace: string;
  readonly mostLeases: number;
}

/** One line per object. */
export interface BackupObject {
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

/** The last line. Without it, or with another checksum of the preceding lines, a backup is incomplete. */
interface BackupTrailer {
  readonly objects: number;
  readonly sha256: string;
}

/** The file is not a backup, or not a complete one. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Yields the lines of a backup. */
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

/** Reads a complete backup. Rejects with a BackupError if it is damaged, truncated or of another version. */
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
  if ((header.version as number) !== 1) throw new BackupError(`this program does not know its version ${String(header.version)}`);
  const trailer = objects.pop() as unknown as BackupTrailer | undefined;
  if (trailer?.sha256 === undefined) throw new BackupError('it is truncated');
  if (trailer.objects !== objects.length || trailer.sha256 !== sum.digest('hex')) throw new BackupError('its checksum does not match');
  return { header, objects };
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new BackupError(`line ${number} is malformed`);
  }
}

import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement, statement } from '../database/statement/statement.js';
import { OBJECT_COLUMNS } from '../postgres/rows/object-row.js';
import { type CopiedStateVersion, COPY_STATE_VERSIONS } from '../postgres/states/state.repository.js';
import { type CopiedTerm, COPY_ENDED_TERMS, COPY_OPEN_TERMS } from '../postgres/terms/term-comparison.js';

/** Number of terms read at a time. */
const PAGE = 1_000;
/** Number of versions of states read at a time. */
const STATE_PAGE = 10;
const READ_REVISION = statement('backup_revision', [], (db) => db.selectFrom('revision_counter').select('value'));
const LIST_SECRETS = statement('backup_secrets', [], (db) => db.selectFrom('server_state').select(['name', 'value']).orderBy('name'));
/** Without those of roles that have been dropped. Written in SQL, because the roles are not this server's table. */
const READ_GRANTS = `
  select r.rolname as role, a.namespace, a.most_leases as "maxLeases"
  from lease_access a join pg_roles r on r.oid = a.role order by 1, 2`;
/** All objects in key order. */
export const READ_ALL_OBJECTS = statement('read_all_objects', [], (db) =>
  db
    .selectFrom('objects')
    .select(['resource', ...OBJECT_COLUMNS])
    .orderBy('resource')
    .orderBy('path'),
);

/**
 * Reads everything that is stored, at one revision. Objects and open terms are read in one short transaction. Terms that had ended by then
 * no longer change; they are read page by page, for which the database must stay open. So are the states, which are no part of the revision: a
 * version does not change either, but one that was stored later may be in the backup, and one that was removed meanwhile is not.
 */
export async function readBackup(database: Database, now: Date): Promise<BackupContent> {
  const { open, ...backup } = await database.inSnapshot((client) => readSnapshot(client, now));
  return { ...backup, terms: allTerms(database, open, backup.header.revision), states: allStates(database) };
}

async function readSnapshot(client: pg.ClientBase, now: Date) {
  const revision = (await runStatement(client, READ_REVISION, []))[0]?.value ?? 0;
  const shared = await runStatement(client, LIST_SECRETS, []);
  const grants = (await client.query<BackupGrant>(READ_GRANTS)).rows;
  const objects = await runStatement(client, READ_ALL_OBJECTS, []);
  const open = await runStatement(client, COPY_OPEN_TERMS, []);
  const header = { format: 'coordination-apiserver/backup', version: 3, revision, createdAt: now.toISOString(), shared, grants } as const;
  return { header, objects, open: open.map(({ term }) => term) };
}

async function* allTerms(database: Database, open: readonly CopiedTerm[], revision: number): AsyncGenerator<CopiedTerm> {
  yield* open;
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: { term: CopiedTerm; path: string }[] = await database.query(COPY_ENDED_TERMS, [revision, after, PAGE]);
    for (const { term } of page) yield term;
    after = page.length === PAGE ? page.at(-1)?.path : undefined;
  }
}

async function* allStates(database: Database): AsyncGenerator<CopiedStateVersion> {
  for (let after: { state: string; version: number } | undefined = { state: '', version: 0 }; after;) {
    const page: CopiedStateVersion[] = await database.query(COPY_STATE_VERSIONS, [after.state, after.version, STATE_PAGE]);
    yield* page;
    after = page.at(-1);
  }
}

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: 'coordination-apiserver/backup';
  /** Version 1 has no terms, version 2 no states. */
  readonly version: 1 | 2 | 3;
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
  readonly maxLeases: number;
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

/** One line per version of a state: the columns of its row, times in ISO 8601. `state` is `NAMESPACE/LEASE`. */
export interface BackupState {
  readonly state: string;
  readonly version: number;
  readonly [column: string]: string | number | Date | null;
}

/** The last line. Without it, or with another checksum of the preceding lines, a backup is incomplete. */
type BackupTrailer = Pick<BackupCounts, 'objects'> & Partial<BackupCounts> & { readonly sha256: string };

/** Any line of a backup except the last one. */
export type BackupEntry =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'object'; readonly object: BackupObject }
  | { readonly kind: 'term'; readonly term: CopiedTerm }
  | { readonly kind: 'state'; readonly state: BackupState };

/** What a backup is written from. */
export interface BackupContent {
  readonly header: BackupHeader;
  readonly objects: readonly BackupObject[];
  readonly terms: AsyncIterable<CopiedTerm>;
  readonly states: AsyncIterable<BackupState>;
}

/** The file is not a backup, or not a complete one. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** How many lines of each kind there are. */
export interface BackupCounts {
  objects: number;
  terms: number;
  states: number;
}

/** Yields the lines of a backup. `counts` begins with zeros, and counts them. */
export async function* backupLines({ header, objects, terms, states }: BackupContent, counts: BackupCounts): AsyncGenerator<string> {
  const sum = createHash('sha256');
  const line = (content: object): string => {
    const text = `${JSON.stringify(content).replace(/[\u2028\u2029]/g, escaped)}\n`;
    sum.update(text);
    return text;
  };
  yield line(header);
  for (const object of objects) {
    counts.objects += 1;
    yield line(object);
  }
  for await (const term of terms) {
    counts.terms += 1;
    yield line(term);
  }
  for await (const state of states) {
    counts.states += 1;
    yield line(state);
  }
  yield `${JSON.stringify({ ...counts, sha256: sum.digest('hex') } satisfies BackupTrailer)}\n`;
}

/** Some programs, earlier versions of this one among them, end a line at such a character. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

/**
 * Reads a backup line by line. Throws a BackupError if it is damaged, truncated or of another version, at the end at the latest; the entries
 * before must not be used then.
 */
export async function* parseBackup(lines: AsyncIterable<string>): AsyncGenerator<BackupEntry> {
  const sum = createHash('sha256');
  const counts = { header: 0, object: 0, term: 0, state: 0 };
  let number = 0;
  let last: string | undefined;
  for await (const line of lines) {
    if (last !== undefined) {
      sum.update(`${last}\n`);
      const entry = entryOf(parse(last, number), number);
      counts[entry.kind] += 1;
      yield entry;
    }
    last = line;
    number += 1;
  }
  if (last === undefined || number === 1) entryOf(last === undefined ? {} : parse(last, number), 1);
  const { objects, terms = 0, states = 0, sha256 } = parse(last ?? '', number) as Partial<BackupTrailer>;
  if (sha256 === undefined) throw new BackupError('it is truncated');
  const hasAll = objects === counts.object && terms === counts.term && states === counts.state;
  const isWhole = hasAll && sha256 === sum.digest('hex');
  if (!isWhole) throw new BackupError('its checksum does not match');
}

function entryOf(content: object, number: number): BackupEntry {
  if (number === 1) return { kind: 'header', header: checkedHeader(content) };
  if ('resource' in content) return { kind: 'object', object: content as BackupObject };
  if ('lease' in content) return { kind: 'term', term: content as CopiedTerm };
  if ('state' in content) return { kind: 'state', state: content as BackupState };
  throw new BackupError(`line ${number} is neither an object, a term nor a state`);
}

function checkedHeader(header: Partial<BackupHeader>): BackupHeader {
  if (header.format !== 'coordination-apiserver/backup') throw new BackupError('it is not a backup of coordination-apiserver');
  const { version } = header;
  if (version !== 1 && version !== 2 && version !== 3) throw new BackupError(`this program does not know its version ${String(version)}`);
  return header as BackupHeader;
}

function parse(line: string, number: number): object {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    throw new BackupError(`line ${number} is malformed`);
  }
}

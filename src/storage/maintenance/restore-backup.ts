import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement, sqlStatement, statement } from '../database/statement/statement.js';
import { ADD_STATE_VERSIONS } from '../postgres/states/state.repository.js';
import { type CopiedTerm, ADD_TERMS } from '../postgres/terms/term-comparison.js';
import type { BackupEntry, BackupGrant, BackupHeader, BackupObject, BackupState } from './backup.js';
import { beginAbove } from './bump-revision.js';
import { CANNOT_TELL, whoServes } from './migration-status.js';

export interface RestoreOptions {
  /** Replaces existing objects, terms and states; otherwise a database that has any is rejected. */
  readonly replace: boolean;
  /** Decides, before anything is locked, whether to replace what there is; rejects if not. */
  readonly confirm: (content: StoredContent) => Promise<void>;
  /** Receives, in one line, what could not be checked or restored. */
  readonly warn: (text: string) => void;
  /** Receives the number of lines read so far. */
  readonly onProgress?: (done: number) => void;
}

/** The reason why a backup is not restored, in one line. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/** What was restored. */
export interface Restored {
  readonly objects: number;
  readonly terms: number;
  /** Versions of states. */
  readonly states: number;
  /** The revision of the backup. */
  readonly from: number;
  /** The revision at which the database continues. */
  readonly revision: number;
}

const CHUNK = 1000;
/** Versions of states may be large. */
const STATE_CHUNK = 10;
/** The lines of a backup may arrive slowly, through a pipe. */
const WAIT_FOR_LINES = 'set local idle_in_transaction_session_timeout = 0';
const LOCK_COUNTER = statement('restore_lock', [], (db) => db.selectFrom('revision_counter').select('value').forUpdate());
const DELETE_OBJECTS = statement('restore_delete', [], (db) => db.deleteFrom('objects'));
const DELETE_TERMS = statement('restore_delete_terms', [], (db) => db.deleteFrom('lease_term'));
const DELETE_STATES = statement('restore_delete_states', [], (db) => db.deleteFrom('terraform_state'));
/** Of lapses that are to be announced: their terms are replaced. */
const DELETE_ANNOUNCEMENTS = statement('restore_delete_announcements', [], (db) => db.deleteFrom('lease_announcement'));
const COUNT_NO_TERMS = statement('restore_count_no_terms', [], (db) => db.updateTable('lease_term_segment').set({ terms: sql.lit(0) }));
/** Inserts in chunks of arrays. Written in SQL, like the two below, because Kysely would not type the arrays or the result of unnest. */
const INSERT = `
  insert into objects (resource, path, uid, revision, terminating, data)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::text[])`;
const SHARED = `
  insert into server_state (name, value) select * from unnest($1::text[], $2::text[])
  on conflict (name) do update set value = excluded.value`;
const HAS_ROLE = 'select from pg_roles where rolname = $1';
const GRANT = 'select lease_grant(quote_ident($1)::regrole, $2, $3)';
/** The log has no entries for the restored objects, so its segment starts after them. */
const START_SEGMENT = `
  with counter as (update revision_counter set segment_start = value returning value, segment)
  update log_segment set start_revision = counter.value from counter where log_segment.segment = counter.segment`;

/**
 * Restores a backup in one transaction. Revisions continue in a new lineage, above those of the backup and of the database, and everything
 * before is compacted, so that no revision is ever used twice. Rejects with RestoreRefused, or with the error of the backup's iterator.
 */
export async function restoreBackup(database: Database, backup: AsyncIterable<BackupEntry>, options: RestoreOptions): Promise<Restored> {
  const entries = backup[Symbol.asyncIterator]();
  try {
    // A file that cannot be read is reported before the database is asked for anything.
    const first = await entries.next();
    if (first.done || first.value.kind !== 'header') throw new RestoreRefused('the backup has no header');
    return await restoreEntries(database, first.value.header, { [Symbol.asyncIterator]: () => entries }, options);
  } finally {
    await entries.return?.();
  }
}

async function restoreEntries(
  database: Database,
  header: BackupHeader,
  entries: AsyncIterable<BackupEntry>,
  options: RestoreOptions,
): Promise<Restored> {
  const client = await database.connect('command');
  try {
    const served = await whoServes(database);
    if (served.by === 'servers') throw new RestoreRefused(served.why);
    if (served.by === 'unknown') options.warn(CANNOT_TELL);
    const content = await readStoredContent(database);
    await requireMayReplace(content, options);
    await client.query('begin');
    await client.query(WAIT_FOR_LINES);
    const [counter] = await runStatement(client, LOCK_COUNTER, []);
    if (Number(counter?.value) !== content.revision) throw new RestoreRefused(WRITTEN);
    await empty(client);
    const counts = await insertAll(client, entries, options);
    await client.query(SHARED, [header.shared.map(({ name }) => name), header.shared.map(({ value }) => value)]);
    await grant(client, header.grants ?? [], options.warn);
    const revision = await beginAbove(client, header.revision);
    await client.query(START_SEGMENT);
    await client.query('commit');
    return { ...counts, from: header.revision, revision };
  } finally {
    // Ending the connection rolls back an open transaction.
    await client.end();
  }
}

/** Roles belong to the whole PostgreSQL and are not restored; grants that the database has already stay. */
async function grant(client: pg.ClientBase, grants: readonly BackupGrant[], warn: RestoreOptions['warn']): Promise<void> {
  for (const { role, namespace, maxLeases } of grants) {
    if ((await client.query(HAS_ROLE, [role])).rowCount === 1) await client.query(GRANT, [role, namespace, maxLeases]);
    else warn(`role "${role}" does not exist here: what lease_grant gave it in namespace "${namespace}" is not restored`);
  }
}

async function requireMayReplace(content: StoredContent, { replace, confirm }: RestoreOptions): Promise<void> {
  const { objects, terms, states } = content;
  if (objects + terms + states === 0) return;
  if (replace) return confirm(content);
  throw new RestoreRefused(
    `the database has ${objects} objects, ${terms} terms and ${states} states: use an empty one, or pass --replace to delete them`,
  );
}

const WRITTEN = 'something was written to the database meanwhile: see what writes to it, and run the command again';

async function empty(client: pg.ClientBase): Promise<void> {
  await runStatement(client, DELETE_OBJECTS, []);
  await runStatement(client, DELETE_TERMS, []);
  await runStatement(client, DELETE_STATES, []);
  await runStatement(client, DELETE_ANNOUNCEMENTS, []);
  await runStatement(client, COUNT_NO_TERMS, []);
}

async function insertAll(
  client: pg.ClientBase,
  entries: AsyncIterable<BackupEntry>,
  { onProgress }: RestoreOptions,
): Promise<{ objects: number; terms: number; states: number }> {
  const counts = { objects: 0, terms: 0, states: 0 };
  let objects: BackupObject[] = [];
  let terms: CopiedTerm[] = [];
  let states: BackupState[] = [];
  const flush = async () => {
    if (objects.length > 0) await insert(client, objects);
    if (terms.length > 0) await runStatement(client, ADD_TERMS, [JSON.stringify(terms)]);
    if (states.length > 0) await runStatement(client, ADD_STATE_VERSIONS, [JSON.stringify(states)]);
    counts.objects += objects.length;
    counts.terms += terms.length;
    counts.states += states.length;
    [objects, terms, states] = [[], [], []];
    onProgress?.(counts.objects + counts.terms + counts.states);
  };
  for await (const entry of entries) {
    if (entry.kind === 'object') objects.push(entry.object);
    if (entry.kind === 'term') terms.push(entry.term);
    if (entry.kind === 'state') states.push(entry.state);
    if (objects.length + terms.length >= CHUNK || states.length >= STATE_CHUNK) await flush();
  }
  await flush();
  return counts;
}

async function insert(client: pg.ClientBase, objects: readonly BackupObject[]): Promise<void> {
  await client.query(INSERT, [
    objects.map(({ resource }) => resource),
    objects.map(({ path }) => path),
    objects.map(({ uid }) => uid),
    objects.map(({ revision }) => revision),
    objects.map(({ terminating }) => terminating),
    objects.map(({ data }) => data),
  ]);
}

/** What a database has, for whoever decides whether it may be replaced. */
export interface StoredContent {
  readonly objects: number;
  readonly terms: number;
  readonly states: number;
  readonly revision: number;
  /** The object written last, such as `leases.coordination.k8s.io default/one`, and when, if it says so. */
  readonly newest?: { readonly name: string; readonly at?: string };
}

interface ContentRow {
  readonly objects: number;
  readonly terms: number;
  readonly states: number;
  readonly revision: string;
  readonly resource: string | null;
  readonly path: string | null;
  readonly data: string | null;
}

const READ_CONTENT = sqlStatement<ContentRow, readonly []>(
  'stored_content',
  `select (select count(*)::int from objects) as objects, (select count(*)::int from lease_term) as terms,
          (select count(*)::int from terraform_state where newest > 0) as states, counter.value::text as revision, newest.*
   from revision_counter counter
   left join (select resource, path, data from objects order by revision desc limit 1) as newest on true`,
);

/** Reads it in one snapshot; waits for no writer. */
async function readStoredContent(database: Database): Promise<StoredContent> {
  const [row] = await database.query(READ_CONTENT, []);
  if (!row) return { objects: 0, terms: 0, states: 0, revision: 0 };
  const { objects, terms, states, resource, path, data } = row;
  const newest = resource === null ? undefined : { name: `${resource} ${path ?? ''}`, at: newestTime(data ?? '') };
  return { objects, terms, states, revision: Number(row.revision), ...(newest && { newest }) };
}

/** Of the times at which an object says that it was written. */
function newestTime(data: string): string | undefined {
  const times = [...data.matchAll(/"(?:time|creationTimestamp|renewTime)":"([^"]+)"/g)].map(([, time = '']) => Date.parse(time));
  const last = Math.max(...times.filter(Number.isFinite));
  return Number.isFinite(last) ? new Date(last).toISOString() : undefined;
}

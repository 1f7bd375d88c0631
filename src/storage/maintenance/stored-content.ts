import type { Database } from '../database/database.js';
import { sqlStatement } from '../database/statement/statement.js';

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
export async function readStoredContent(database: Database): Promise<StoredContent> {
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

import type { PostgresFixture } from './postgres-fixture.js';

interface AuditRow {
  readonly revision: number;
  readonly kind: 'A' | 'M' | 'D';
  readonly name: string;
  readonly data: string;
  readonly previous_revision: number | null;
  readonly previous: string | null;
}

/** Reads the whole log and the objects, and tells of every change that does not follow from the one before of its key. */
export async function auditLog(fixture: PostgresFixture): Promise<{ changes: number; faults: string[] }> {
  const rows = await fixture.rows<AuditRow>(
    `select revision, kind, resource || ' ' || path as name, data, previous_revision, previous from revision_log order by revision`,
  );
  const state = new Map<string, { revision: number; data: string }>();
  const faults: string[] = [];
  let last = 0;
  for (const row of rows) {
    const before = state.get(row.name);
    if (row.revision <= last) faults.push(`${row.revision} twice`);
    last = row.revision;
    if ((row.kind === 'A') !== (before === undefined)) faults.push(`${row.revision}: ${row.kind} of ${row.name} ${before?.revision}`);
    if ((before?.revision ?? null) !== row.previous_revision)
      faults.push(`${row.revision}: follows ${row.previous_revision}, not ${before?.revision}`);
    if (row.previous !== null && row.previous !== before?.data) faults.push(`${row.revision}: wrong previous state`);
    if (row.kind === 'D' && row.data !== before?.data) faults.push(`${row.revision}: deletes another state`);
    if (row.kind === 'D') state.delete(row.name);
    else state.set(row.name, row);
  }
  const objects = await fixture.rows<{ name: string; revision: number; data: string }>(
    `select resource || ' ' || path as name, revision, data from objects`,
  );
  for (const { name, revision, data } of objects) {
    const logged = state.get(name);
    if (logged?.revision !== revision || logged.data !== data)
      faults.push(`${name}: ${revision} in objects, ${logged?.revision} in the log`);
    state.delete(name);
  }
  for (const name of state.keys()) faults.push(`${name}: in the log only`);
  return { changes: rows.length, faults };
}

import { TERM_RESOURCE } from '../../../src/storage/term-change.js';
import type { PostgresFixture } from './postgres-fixture.js';

interface AuditRow {
  readonly revision: number;
  readonly kind: 'A' | 'M' | 'D';
  readonly name: string;
  readonly data: string;
  readonly previous_revision: number | null;
  readonly previous: string | null;
}

interface State {
  readonly revision: number;
  readonly data: string;
}

/** Reads the whole log, the objects and the terms, and reports every change that does not follow from its key's previous one. */
export async function auditLog(fixture: PostgresFixture): Promise<{ changes: number; faults: string[] }> {
  const rows = await fixture.rows<AuditRow>(
    `select revision, kind, resource || ' ' || path as name, data, previous_revision, previous from revision_log order by revision`,
  );
  const states = new Map<string, State>();
  const faults: string[] = [];
  let last = 0;
  for (const row of rows) {
    if (row.revision <= last) faults.push(`${row.revision}: more than once`);
    last = row.revision;
    faults.push(...faultsOf(row, states.get(row.name)).map((fault) => `${row.revision}: ${fault}`));
    if (row.kind === 'D') states.delete(row.name);
    else states.set(row.name, row);
  }
  faults.push(...(await differences(fixture, states)));
  return { changes: rows.length, faults };
}

function faultsOf(row: AuditRow, before: State | undefined): string[] {
  const faults: string[] = [];
  if ((row.kind === 'A') !== (before === undefined)) faults.push(`${row.kind} of ${row.name} after ${before?.revision}`);
  if (before?.revision !== (row.previous_revision ?? undefined)) faults.push(`names ${row.previous_revision}, not ${before?.revision}`);
  if (row.previous !== null && row.previous !== before?.data) faults.push('has another state before');
  if (row.kind === 'D' && row.data !== before?.data) faults.push('deletes another state');
  return faults;
}

async function differences(fixture: PostgresFixture, states: ReadonlyMap<string, State>): Promise<string[]> {
  const objects = await fixture.rows<State & { name: string }>(`
    select resource || ' ' || path as name, revision, data from objects
    union all
    select '${TERM_RESOURCE} ' || path, revision, lease_term_object(t) from lease_term t`);
  const logged = [...states].map(([name, { revision, data }]) => `${name} ${revision} ${data}`);
  const current = objects.map(({ name, revision, data }) => `${name} ${revision} ${data}`);
  const only = (some: string[], others: Set<string>) => some.filter((entry) => !others.has(entry));
  return [
    ...only(logged, new Set(current)).map((entry) => `only in the log: ${entry}`),
    ...only(current, new Set(logged)).map((entry) => `only in the tables: ${entry}`),
  ];
}

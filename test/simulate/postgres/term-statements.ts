import { TERM_RESOURCE } from '../../../src/storage/term-change.js';
import type { Entry, ObjectState } from '../check/history.js';
import { type Contents, type LogRow, type TermState, logAfter } from './contents.js';
import { type Moment, type Outcome, type SimulatedStatement, atHome, markOf, numberOf } from './simulated-statement.js';
import type { Row } from './wire.js';

export const LEASES = 'leases.coordination.k8s.io';

/** An element of the third argument of lease_change_terms (migrations/functions/terms.sql). */
export interface TermArgument {
  readonly ago?: number;
  readonly namespace: string;
  readonly lease: string;
  readonly token?: number;
  readonly holder?: string;
  readonly reason?: string;
  readonly held_by?: string;
  readonly ends?: number;
  readonly lease_revision?: number;
}

/** What the function returns, logs and changes. */
export interface TermChanges {
  readonly rows: readonly Row[];
  readonly entries: readonly Entry[];
  readonly log: readonly LogRow[];
  readonly terms: ReadonlyMap<string, TermState>;
}

/** The function lease_change_terms: times are left out, and with them the reason Expired. */
export function changeTerms(contents: Contents, after: number, changes: readonly TermArgument[]): TermChanges {
  const terms = new Map(contents.terms);
  const entries: Entry[] = [];
  changes.forEach((change, at) => {
    const path = `${change.namespace}/${change.lease}`;
    const open = openTerm(terms, path);
    const first = after + 2 * at + 1;
    if (change.reason !== undefined && open && (change.ends === undefined || change.ends === open.token)) {
      const reason = change.held_by === open.holder ? change.reason : 'Unknown';
      const ended = { ...open, ended: reason, revision: first };
      terms.set(open.path, ended);
      entries.push({ kind: 'M', revision: first, object: objectOf(ended), previous: objectOf(open) });
    }
    if (change.holder === undefined || openTerm(terms, path)) return;
    const token = change.token!;
    const begun = {
      path: `${path}.${token}`,
      lease: path,
      holder: change.holder,
      token,
      ended: undefined,
      created: first + 1,
      revision: first + 1,
    };
    terms.set(begun.path, begun);
    entries.push({ kind: 'A', revision: first + 1, object: objectOf(begun) });
  });
  const rows = entries.map(({ kind, revision, object, previous }) => {
    const { path, uid, data } = object;
    return { revision, kind, path, uid, data, previous_revision: previous?.revision ?? null, previous: previous?.data ?? null };
  });
  return { rows, entries, log: entries.map((entry) => logRow(entry, contents.counter.segment)), terms };
}

export function openTerm(terms: ReadonlyMap<string, TermState>, lease: string): TermState | undefined {
  return [...terms.values()].find((term) => term.lease === lease && term.ended === undefined);
}

function objectOf({ path, holder, token, ended, revision }: TermState): ObjectState {
  const data = JSON.stringify({ holder, token, ended });
  return { resource: TERM_RESOURCE, path, uid: `term-${token}`, revision, terminating: false, data };
}

export function logRow({ kind, revision, object, previous }: Entry, segment: number): LogRow {
  const { resource, path, uid, terminating, data } = object;
  return {
    ...{ segment, revision, kind, resource, path, uid, terminating, data, token: null },
    previous_revision: previous?.revision ?? null,
    previous_uid: previous?.uid ?? null,
    previous_terminating: previous?.terminating ?? null,
    previous: previous?.data ?? null,
  };
}

/** term-writer.ts */
function correctTerms(moment: Moment): Outcome {
  const { contents, values } = moment;
  const { counter } = contents;
  const [revisions, segment, , lineage] = values.map(numberOf);
  if (counter.segment !== segment || counter.lineage !== lineage || !atHome(moment)) return { rows: [] };
  const wanted = JSON.parse(values[4] as string) as TermArgument[];
  const checked = wanted.filter(
    ({ namespace, lease, lease_revision: wanted }) => (contents.objects.get(`${LEASES} ${namespace}/${lease}`)?.revision ?? 0) === wanted,
  );
  const base = counter.value;
  const { rows, entries, log, terms } = changeTerms(contents, base, checked);
  const apply = (copy: Contents) => {
    copy.counter = { ...copy.counter, value: base + revisions! };
    copy.terms = terms;
    copy.log.push(...log);
  };
  return {
    rows: rows.length > 0 ? rows : [{ path: null }],
    change: { apply, given: { from: base, to: base + revisions!, entries } },
    notify: rows.length > 0 ? (values[2] as string) : '',
  };
}

/** term-comparison.ts: all leases of the page, whether or not they agree. */
function leasesWithTerms({ contents, values }: Moment): Outcome {
  const leases = [...contents.objects.values()]
    .filter(({ resource, path }) => resource === LEASES && path > (values[0] as string))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, numberOf(values[1]));
  const last = leases.at(-1)?.path ?? null;
  return {
    rows: leases.map(({ path, uid, revision, data }) => {
      const term = openTerm(contents.terms, path);
      return { last, path, uid, revision, data, holder: term?.holder ?? null, token: term?.token ?? null, term_uid: term ? uid : null };
    }),
  };
}

function orphanedTerms({ contents, values }: Moment): Outcome {
  const orphans = [...contents.terms.values()].filter(
    ({ lease, ended }) => ended === undefined && !contents.objects.has(`${LEASES} ${lease}`),
  );
  return {
    rows: orphans.slice(0, numberOf(values[0])).map(({ lease: path, holder, token }) => {
      const [namespace = '', lease = ''] = path.split('/');
      return { namespace, lease, holder, token };
    }),
  };
}

/** term-reader.ts */
function listTerms(moment: Moment): Outcome {
  const { contents, values } = moment;
  const [from, to, limit, , , revision = null] = values;
  const at = revision === null ? Infinity : numberOf(revision);
  const page = [...contents.terms.values()]
    .filter(({ path, created }) => path >= (from as string) && path < (to as string) && created <= at)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, numberOf(limit));
  const head = { ...markOf(moment), compacted: contents.compaction.revision };
  const rows = page.map((term) => {
    const { path, uid, revision: newest, data } = objectOf(term);
    const changed = newest > at ? logAfter(contents, at).find((row) => row.resource === TERM_RESOURCE && row.path === path) : undefined;
    return { ...head, path, uid, terminating: false, revision: changed?.previous_revision ?? newest, data: changed?.previous ?? data };
  });
  return { rows: rows.length > 0 ? rows : [{ ...head, path: null, uid: null, terminating: null, revision: null, data: null }] };
}

/** Histories are too short for a segment to be full: there is one, and it stays. */
export const TERM_STATEMENTS: readonly SimulatedStatement[] = [
  {
    is: /^with counter as \( update revision_counter c set value = value \+ .* term as materialized/,
    locks: true,
    writes: true,
    run: correctTerms,
  },
  { is: /^select \* from lease_compare_terms/, run: leasesWithTerms },
  { is: /^select t\.namespace, t\.lease, t\.holder, t\.token from lease_term/, run: orphanedTerms },
  { is: /^select counter\.value as newest, .* left join lateral \( select \* from \(select \* from lease_term/, run: listTerms },
  { is: /^select segment, terms, extract/, run: () => ({ rows: [{ segment: 1, terms: 0, ageMs: 0.5 }] }) },
  { is: /^select substring\(c\.relname from 12\)/, run: () => ({ rows: [{ segment: 1, attached: true, detaching: false }] }) },
];

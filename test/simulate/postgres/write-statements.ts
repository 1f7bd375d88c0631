import { type Entry, type ObjectState, nameOf } from '../check/history.js';
import { Finding } from '../world/world.js';
import { type Contents, type LogRow, logAfter } from './contents.js';
import { type TermArgument, type TermChanges, changeTerms } from './term-statements.js';
import type { Row } from './wire.js';
import {
  type Moment,
  type Outcome,
  type SimulatedStatement,
  atHome,
  numberOf,
  numbersOf,
  SqlError,
  textsOf,
} from './simulated-statement.js';

interface Write {
  readonly ord: number;
  readonly kind: 'A' | 'M' | 'D';
  readonly name: string;
  readonly object: Omit<ObjectState, 'revision'>;
  readonly expected: number | null;
  readonly previous: { readonly uid: string; readonly terminating: boolean; readonly data: string } | undefined;
  readonly token: number | null;
  readonly limit: number;
  readonly container: string | undefined;
}

/** batch-statement.ts and term-writer.ts. Parts missing from the text, for example because of a mutation, are not checked. */
function commitBatch(moment: Moment): Outcome {
  const { contents, values, text } = moment;
  const { counter } = contents;
  const count = numberOf(values[0]);
  if (count === 0) throw new Finding('a batch without a write is sent');
  if (!isExpected(moment)) return { rows: [] };
  const base = counter.value;
  const applied: { entry: Entry; row: LogRow }[] = [];
  const touched = new Set<string>();
  for (const write of writesOf(moment)) {
    if (touched.has(write.name) || !takesEffect(write, moment)) continue;
    touched.add(write.name);
    const entry = entryOf(write, base + write.ord, contents.objects.get(write.name));
    applied.push({ entry, row: logRow(write, entry, counter.segment) });
  }
  if (applied.length > 0 && contents.partitions.get(counter.segment) !== 'attached') {
    throw new SqlError('23514', 'no partition of relation "revision_log" found for row');
  }
  const channel = values[2] as string;
  const revisions = applied.length < count ? applied.map(({ entry }) => entry.revision) : null;
  const terms = text.includes('lease_change_terms(') ? termsOf(moment, applied) : undefined;
  const to = base + count + (terms ? numberOf(values[19]) : 0);
  return {
    rows: terms ? termRows({ base, revisions, notified: null }, terms.rows) : [{ base, revisions, notified: null }],
    change: changeOf(to, base, applied, terms),
    notify: applied.length > 0 ? channel : '',
  };
}

/** Whether the counter is as the statement's conditions want it. */
function isExpected(moment: Moment): boolean {
  const { contents, values, text } = moment;
  const { segment, lineage } = contents.counter;
  if (text.includes('segment = $2::integer') && segment !== numberOf(values[1])) return false;
  if (text.includes('lineage = $16::bigint') && lineage !== numberOf(values[15])) return false;
  return atHome(moment);
}

function termRows(outcome: Row, terms: TermChanges['rows']): Row[] {
  const columns = Object.keys(NO_TERM);
  return (terms.length > 0 ? terms : [NO_TERM]).map((term) => ({
    ...outcome,
    ...Object.fromEntries(columns.map((column) => [column, term[column]!])),
  }));
}

const NO_TERM: Row = { revision: null, path: null, uid: null, data: null, previous_revision: null, previous: null };

/** The changes of terms that the writes which took effect lead to. */
function termsOf({ contents, values, text }: Moment, applied: readonly { entry: Entry }[]): TermChanges {
  const base = contents.counter.value;
  const revisions = new Set(applied.map(({ entry }) => entry.revision));
  const changes = (JSON.parse(values[20] as string) as TermArgument[])
    .map((change) => ({ ...change, token: base + numberOf(values[0]) - change.ago! }))
    .filter(({ token }) => revisions.has(token) || text.includes('left join changed'));
  return changeTerms(contents, base + numberOf(values[0]), changes);
}

function changeOf(to: number, from: number, applied: readonly { entry: Entry; row: LogRow }[], terms: TermChanges | undefined) {
  const apply = (contents: Contents) => {
    contents.counter = { ...contents.counter, value: to };
    for (const { entry, row } of applied) {
      if (entry.kind === 'D') contents.objects.delete(nameOf(entry.object));
      else contents.objects.set(nameOf(entry.object), entry.object);
      contents.log.push(row);
    }
    if (!terms) return;
    contents.terms = terms.terms;
    contents.log.push(...terms.log);
  };
  return { apply, given: { from, to, entries: [...applied.map(({ entry }) => entry), ...(terms?.entries ?? [])] } };
}

function writesOf({ values }: Moment): Write[] {
  const [resources, paths, uids, , datas] = values.slice(6, 11).map(textsOf);
  const terminating = values[9] as (boolean | null)[];
  const column = <T>(value: unknown, i: number): T | null => (value as (T | null)[] | undefined)?.[i] ?? null;
  const kinds = values[16] as ('A' | 'M' | 'D')[] | undefined;
  const limits = numbersOf(values[5]);
  return Array.from({ length: numberOf(values[0]) }, (_, i) => {
    const object = { resource: resources![i]!, path: paths![i]!, uid: column<string>(uids, i) ?? '' };
    const previous = column<string>(values[14], i);
    const container = column<string>(values[18], i);
    return {
      ord: i + 1,
      kind: kinds?.[i] ?? 'M',
      name: nameOf(object),
      object: { ...object, terminating: column<boolean>(terminating, i) ?? false, data: column<string>(datas, i) ?? '' },
      expected: column<number>(values[11], i),
      previous:
        previous === null
          ? undefined
          : { uid: column<string>(values[12], i)!, terminating: column<boolean>(values[13], i)!, data: previous },
      token: column<number>(values[3], i),
      limit: limits[i] ?? Math.max(numberOf(values[4]), -Infinity),
      container: container === null ? undefined : `${column<string>(values[17], i)} ${container}`,
    };
  });
}

function takesEffect({ kind, name, expected, container, limit }: Write, moment: Moment): boolean {
  const { contents, text, waitedMs } = moment;
  if (text.includes('counter.waited <') && waitedMs >= limit) return false;
  const current = contents.objects.get(name);
  if (kind !== 'A') return current !== undefined && (!text.includes('o.revision = op.expected') || current.revision === expected);
  if (current) return false;
  const parent = container === undefined ? undefined : contents.objects.get(container);
  return container === undefined || (parent !== undefined && !(text.includes('not n.terminating') && parent.terminating));
}

function entryOf({ kind, object }: Write, revision: number, current: ObjectState | undefined): Entry {
  const state = kind === 'D' && current ? { ...current, revision } : { ...object, revision };
  return { kind, revision, object: state, previous: current };
}

function logRow({ kind, expected, previous, token }: Write, { revision, object }: Entry, segment: number): LogRow {
  const own = kind === 'M' ? previous : undefined;
  return {
    segment,
    revision,
    kind,
    resource: object.resource,
    path: object.path,
    uid: object.uid,
    terminating: object.terminating,
    data: object.data,
    previous_revision: kind === 'A' ? null : expected,
    previous_uid: own?.uid ?? null,
    previous_terminating: own?.terminating ?? null,
    previous: own?.data ?? null,
    token,
  };
}

/** unsettled-writes.ts */
function targets({ contents, values }: Moment): Outcome {
  const [resources, paths, containerResources, containerPaths] = values.map(textsOf);
  return {
    rows: resources!.map((resource, i) => {
      const container = contents.objects.get(`${containerResources![i] ?? ''} ${containerPaths![i] ?? ''}`);
      return {
        ord: i + 1,
        revision: contents.objects.get(`${resource} ${paths![i]}`)?.revision ?? null,
        container_found: container !== undefined,
        container_terminating: container?.terminating ?? null,
      };
    }),
  };
}

function findApplied({ contents, values, text }: Moment): Outcome {
  const [resources, paths] = values.map(textsOf);
  const tokens = numbersOf(values[2]);
  const log = logAfter(contents, numberOf(values[4])).filter(({ segment }) => segment >= numberOf(values[3]));
  const rows = resources!.map((resource, i) => {
    const row = log.find(
      (found) =>
        found.resource === resource && found.path === paths![i] && (!text.includes('l.token = op.token') || found.token === tokens[i]),
    );
    return {
      ord: i + 1,
      applied: row?.revision ?? null,
      revision: contents.objects.get(`${resource} ${paths![i]}`)?.revision ?? null,
      compacted: contents.compaction.revision,
    };
  });
  return { rows };
}

export const WRITE_STATEMENTS: readonly SimulatedStatement[] = [
  { is: /^with counter as \( update revision_counter c set value = value \+ .* op as /, locks: true, writes: true, run: commitBatch },
  // no session locks rows of objects
  { is: /^select op\.ord::integer as ord from unnest/, run: () => ({ rows: [] }) },
  { is: /^select op\.ord::integer as ord, o\.revision, c\.path is not null/, run: targets },
  { is: /^select op\.ord::integer as ord, l\.revision as applied/, writes: true, run: findApplied },
];

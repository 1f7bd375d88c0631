import type { Entry, ObjectState } from '../check/history.js';
import type { Contents } from './contents.js';
import { type Moment, type Outcome, type SimulatedStatement, numberOf, SqlError } from './simulated-statement.js';
import { type TermArgument, changeTerms, LEASES, logRow } from './term-statements.js';

interface StoredLease {
  readonly metadata: object;
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly renewTime?: string;
  };
}

/** lease_write of migrations/functions/lease-write.sql. Unlike it, what is refused takes the counter's lock, and what finds the counter abroad fails. */
function writeLease(moment: Moment): Outcome {
  const { contents, values, text } = moment;
  const [namespace, , holder] = values as string[];
  const current = contents.objects.get(`${LEASES} ${pathOf(moment)}`);
  const lease = current ? (JSON.parse(current.data) as StoredLease) : undefined;
  const held = lease?.spec.holderIdentity ?? '';
  const isFree = (): boolean => held === '' || (current !== undefined && lease !== undefined && isOver(moment, current.revision, lease));
  const done = held === holder || (text.includes('lease_acquire') && isFree());
  const container = contents.objects.get(`namespaces ${namespace}`);
  if (!done || !container || (!current && container.terminating)) {
    return { rows: [{ token: null, seen: current?.revision ?? null }], flushes: true };
  }
  checkCounter(moment);
  const next = text.includes('lease_release') ? '' : holder!;
  if (next !== held) moment.seen.delete(pathOf(moment));
  return written(moment, current, nextLease(moment, lease, next), { held, next });
}

function pathOf({ values }: Moment): string {
  return `${values[0] as string}/${values[1] as string}`;
}

function checkCounter({ contents: { counter, partitions }, started, file }: Moment): void {
  if (counter.serverStarted !== started || counter.counterFile !== file) throw new SqlError('55000', 'the counter is abroad');
  if (partitions.get(counter.segment) !== 'attached') throw new SqlError('23514', 'no partition for row');
}

function nextLease({ contents, values, text, wallMs }: Moment, lease: StoredLease | undefined, holderIdentity: string): StoredLease {
  const [namespace, name] = values as string[];
  const revision = contents.counter.value + 1;
  const { spec = {}, metadata } = lease ?? {};
  const renewTime = `${new Date(wallMs).toISOString().slice(0, -1)}${String(revision % 1_000).padStart(3, '0')}Z`;
  const isTakenOver = lease !== undefined && holderIdentity !== '' && holderIdentity !== (spec.holderIdentity ?? '');
  return {
    metadata: metadata ?? { name, namespace, uid: `sql-${revision}`, creationTimestamp: `${renewTime.slice(0, 19)}Z` },
    spec: {
      ...spec,
      holderIdentity,
      ...(text.includes('lease_acquire') && { leaseDurationSeconds: numberOf(values[3]) }),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (isTakenOver ? 1 : 0),
      renewTime,
    },
  };
}

interface Holding {
  readonly held: string;
  readonly next: string;
}

function written(moment: Moment, current: ObjectState | undefined, lease: StoredLease, { held, next }: Holding): Outcome {
  const { contents, values } = moment;
  const { value: from, segment } = contents.counter;
  const path = pathOf(moment);
  const revision = from + 1;
  const uid = current?.uid ?? `sql-${revision}`;
  const object = { resource: LEASES, path, uid, revision, terminating: false, data: JSON.stringify(lease) };
  const entry: Entry = { kind: current ? 'M' : 'A', revision, object, previous: current };
  const change: TermArgument = {
    ...{ namespace: values[0] as string, lease: values[1] as string, token: revision },
    ...(next !== '' && { holder: next }),
    ...(held !== '' && { reason: next === '' ? 'Released' : 'Replaced', held_by: held }),
  };
  const terms = changeTerms(contents, revision, next === held ? [] : [change]);
  const to = terms.entries.at(-1)?.revision ?? revision;
  const apply = (copy: Contents) => {
    copy.counter = { ...copy.counter, value: to };
    copy.objects.set(`${LEASES} ${path}`, object);
    copy.terms = terms.terms;
    copy.log.push(logRow(entry, segment), ...terms.log);
  };
  const given = { from, to, entries: [entry, ...terms.entries] };
  return { rows: [{ token: revision, seen: revision }], change: { apply, given }, flushes: true, notify: CHANNEL };
}

/** By which servers are told. */
const CHANNEL = 'coordination';
const TEN_MINUTES_MS = 600_000;
/** More of them are those of a contender with a steady clock. */
const PLAIN_ARGUMENTS = 4;

/** lease_is_over and lease_see of migrations/functions/lease-seen.sql. */
function isOver(moment: Moment, revision: number, { spec }: StoredLease): boolean {
  const { seen: all, wallMs: now, contents, values } = moment;
  const path = pathOf(moment);
  const durationMs = (spec.leaseDurationSeconds ?? Infinity) * 1_000;
  const isPlain = values.length <= PLAIN_ARGUMENTS;
  if (!isPlain) return values[4] !== null && numberOf(values[4]) === revision && numberOf(values[5]) >= durationMs;
  const known = all.get('')?.since ?? now;
  if (!all.has('')) all.set('', { revision: 0, since: now, last: now, watched: 0 });
  let seen = all.get(path);
  if (seen?.revision !== revision) seen = { revision, since: now, last: now, watched: 0 };
  else if (seen.last > now) seen = { ...seen, since: now, last: now };
  else if (now - seen.last >= 50) seen = { ...seen, last: now, watched: seen.watched + Math.min(now - seen.last, 2_000) };
  all.set(path, seen);
  if (seen.watched >= durationMs + 2_000) return true;
  const segments = contents.segments.filter(({ startRevision }) => startRevision >= revision).map(({ startedAt }) => startedAt);
  return now - durationMs - TEN_MINUTES_MS >= Math.max(known, Math.min(seen.since, ...segments));
}

export const LEASE_STATEMENTS: readonly SimulatedStatement[] = [
  { is: /^call lease_(acquire|renew|release)\(/, locks: true, writes: true, run: writeLease },
];

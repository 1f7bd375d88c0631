import type { Contents } from './contents.js';
import { type Moment, type Outcome, type SimulatedStatement, markOf, numberOf, SqlError } from './simulated-statement.js';

const BLIND_JUMP = 1_000_000_000;

/** lineage.repository.ts */
function readPlace(moment: Moment): Outcome {
  const place = `${moment.started} ${moment.file}`;
  return { rows: [{ ...markOf(moment), compacted: moment.contents.compaction.revision, place }] };
}

function lineages({ contents }: Moment): Outcome {
  return { rows: [...contents.lineages].sort((a, b) => a.began - b.began).map((row) => ({ ...row })) };
}

function beginLineage({ contents, values, text, started, file, nowMs }: Moment): Outcome {
  const [id, above, clock, ended] = values.map(numberOf);
  const { counter } = contents;
  const now = Math.max(clock!, Math.floor(nowMs * 1000));
  const first = counter.lineage === 0 && counter.value === 1000 && above === 0;
  const later = text.includes('then clock.now') ? now : counter.value;
  const jumped = first ? counter.value : now > counter.value ? later : counter.value + BLIND_JUMP;
  const began = Math.max(jumped, above! + 1);
  const apply = (copy: Contents) => {
    copy.counter = { ...copy.counter, value: began, lineage: id!, serverStarted: started, counterFile: file };
    copy.lineages = [...copy.lineages, { id: id!, ended: ended!, began }];
  };
  const given = began > counter.value ? { from: began - 1, to: began, entries: [] } : undefined;
  return { rows: [{ began }], change: { apply, ...(given && { given }) } };
}

/** compactor.ts */
function claim({ contents, values, nowMs }: Moment): Outcome {
  const [holder, ms] = [values[0] as string, numberOf(values[1])];
  const { compaction } = contents;
  if (compaction.holder !== holder && compaction.heldUntil >= nowMs) return { rows: [] };
  const apply = (copy: Contents) => void (copy.compaction = { ...copy.compaction, holder, heldUntil: nowMs + ms });
  return { rows: [{ claimed: true }], change: { apply } };
}

function advance({ contents, values }: Moment): Outcome {
  const revision = Math.min(numberOf(values[0]), contents.counter.value);
  const apply = (copy: Contents) => {
    copy.compaction = { ...copy.compaction, revision: Math.max(copy.compaction.revision, revision) };
  };
  return { rows: [], change: { apply } };
}

function forgetLineages(): Outcome {
  const apply = (copy: Contents) => {
    const { revision } = copy.compaction;
    copy.lineages = copy.lineages.filter((old) => !copy.lineages.some((next) => next.began > old.began && next.began <= revision));
  };
  return { rows: [], change: { apply } };
}

/** segment.repository.ts */
function listSegments({ contents }: Moment): Outcome {
  const rows = [...contents.partitions].sort(([a], [b]) => a - b);
  return { rows: rows.map(([segment, state]) => ({ segment, attached: state === 'attached', detaching: false })) };
}

function listStarts({ contents, nowMs }: Moment): Outcome {
  const sorted = [...contents.segments].sort((a, b) => a.segment - b.segment);
  return { rows: sorted.map(({ segment, startRevision, startedAt }) => ({ segment, startRevision, ageMs: nowMs - startedAt + 0.5 })) };
}

function rotate({ contents, values, text, nowMs }: Moment): Outcome {
  const [from, to] = values.map(numberOf);
  const { counter } = contents;
  if (text.includes('where segment = $1') && counter.segment !== from) return { rows: [] };
  if (contents.segments.some(({ segment }) => segment === to)) throw new SqlError('23505', 'duplicate key: log_segment_pkey');
  const start = { segment: to!, startRevision: counter.value, startedAt: nowMs };
  const apply = (copy: Contents) => {
    copy.counter = { ...copy.counter, segment: to!, segmentStart: start.startRevision };
    copy.segments = [...copy.segments, start];
  };
  return { rows: [{ segment: to! }], change: { apply } };
}

function partition(moment: Moment, change: (partitions: Map<number, 'attached' | 'detached'>, segment: number) => void): Outcome {
  const segment = Number(/revision_log_([0-9]+)/.exec(moment.text)?.[1]);
  const apply = (copy: Contents) => {
    const partitions = new Map(copy.partitions);
    change(partitions, segment);
    copy.partitions = partitions;
    if (!partitions.has(segment)) copy.log = copy.log.filter((row) => row.segment !== segment);
  };
  return { rows: [], change: { apply } };
}

function createPartition(moment: Moment): Outcome {
  const segment = Number(/revision_log_([0-9]+)/.exec(moment.text)?.[1]);
  if (moment.contents.partitions.has(segment)) throw new SqlError('42P07', 'the relation exists');
  return partition(moment, (partitions) => partitions.set(segment, 'detached'));
}

function existingPartition(moment: Moment, state: 'attached' | 'detached' | undefined): Outcome {
  const segment = Number(/revision_log_([0-9]+)/.exec(moment.text)?.[1]);
  if (!moment.contents.partitions.has(segment)) throw new SqlError('42P01', 'the relation does not exist');
  return partition(moment, (partitions) => (state === undefined ? partitions.delete(segment) : partitions.set(segment, state)));
}

function forgetStart({ values }: Moment): Outcome {
  const apply = (copy: Contents) => void (copy.segments = copy.segments.filter(({ segment }) => segment !== numberOf(values[0])));
  return { rows: [], change: { apply } };
}

function counterRow({ contents: { counter } }: Moment): Outcome {
  return { rows: [{ value: counter.value, segment: counter.segment, segment_start: counter.segmentStart }] };
}

/** writer-connection.ts */
function lookAfter({ values, isIdle }: Moment): Outcome {
  const pid = numberOf(values[0]);
  const idle = isIdle(pid, values[1] as string);
  if (idle === undefined) return { rows: [] };
  return { rows: [{ idle, ended: null }], ...(idle && { terminate: pid }) };
}

export const MAINTENANCE_STATEMENTS: readonly SimulatedStatement[] = [
  { is: /as place from revision_counter as counter .* for update of counter$/, locks: true, writes: true, run: readPlace },
  { is: /as place from revision_counter as counter cross join compaction$/, run: readPlace },
  { is: /^select id, ended, began from revision_lineage/, run: lineages },
  { is: /^with clock as \(/, locks: true, writes: true, run: beginLineage },
  { is: /^update compaction set holder/, writes: true, run: claim },
  { is: /^update compaction set revision/, writes: true, run: advance },
  { is: /^delete from revision_lineage/, writes: true, run: forgetLineages },
  { is: /^select substring\(c\.relname from 14\)/, run: listSegments },
  { is: /^select segment, start_revision as startRevision/, run: listStarts },
  { is: /^with counter as \(update revision_counter set segment/, locks: true, writes: true, run: rotate },
  { is: /^create table revision_log_/, writes: true, run: createPartition },
  { is: /^alter table revision_log attach partition/, writes: true, run: (moment) => existingPartition(moment, 'attached') },
  { is: /^alter table \S*revision_log detach partition/, writes: true, run: (moment) => existingPartition(moment, 'detached') },
  { is: /^drop table revision_log_/, writes: true, run: (moment) => existingPartition(moment, undefined) },
  { is: /^delete from log_segment/, writes: true, run: forgetStart },
  { is: /^select value, segment, segment_start from revision_counter$/, run: counterRow },
  { is: /^select state like 'idle%' as idle/, run: lookAfter },
  // Only servers lock the counter.
  { is: / from revision_counter c join pg_class t .* join pg_locks l /, run: () => ({ rows: [] }) },
  // Nobody locks rows or tables for longer than a statement.
  { is: / from pg_locks l join pg_class c /, run: () => ({ rows: [] }) },
  { is: / cross join unnest\(pg_blocking_pids\(/, run: () => ({ rows: [] }) },
  {
    is: /^select pid, backend_start::text as start from pg_stat_activity/,
    run: ({ pid, started }) => ({ rows: [{ pid, start: `${started}/${pid}` }] }),
  },
  { is: / from terraform_state where newest/, run: () => ({ rows: [{ states: 0, bytes: 0, largestNamespace: 0 }] }) },
  { is: /^select case when bool_or\(pid = /, run: ({ listeners }) => ({ rows: [{ case: listeners() - 1 }] }) },
  { is: /^select coalesce\(max\(extract\(epoch from clock_timestamp\(\) - xact_start/, run: () => ({ rows: [{ seconds: 0 }] }) },
  { is: /^select \$1::text as question$/, run: ({ values: [question] }) => ({ rows: [{ question: String(question) }] }) },
  { is: /^select set_config\('synchronous_commit', .* as may$/, run: () => ({ rows: [{ may: true }] }) },
  { is: /^select pg_logical_emit_message\(/, writes: true, run: () => ({ rows: [], change: { apply: () => undefined } }) },
  { is: /^select has_function_privilege/, run: () => ({ rows: [{ may: true }] }) },
  { is: /^select \(select system_identifier/, run: ({ inRecovery }) => ({ rows: [{ system_identifier: '7', in_recovery: inRecovery }] }) },
  { is: /^select pg_is_in_recovery\(\) or current_setting/, run: ({ inRecovery }) => ({ rows: [{ read_only: inRecovery }] }) },
  {
    is: /^(select 1$|select set_config\((?!'synchronous_commit')|with gone as \( ?delete from serving_session |lock table revision_log in access share mode)/,
    run: () => ({ rows: [] }),
  },
];

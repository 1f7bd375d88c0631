import type { ObjectState } from '../check/history.js';
import { type LogRow, logAfter, logRowAt } from './contents.js';
import { type Moment, type Outcome, type SimulatedStatement, markOf, numberOf, numbersOf, textsOf } from './simulated-statement.js';
import type { Row } from './wire.js';

/** object.repository.ts */
function getObject({ contents, values }: Moment): Outcome {
  const object = contents.objects.get(`${values[0] as string} ${values[1] as string}`);
  return { rows: [{ newest: contents.counter.value, ...objectColumns(object) }] };
}

function listObjects({ contents, values }: Moment): Outcome {
  const found = objectsIn(contents.objects.values(), values);
  const limit = values[3] === null ? Infinity : numberOf(values[3]);
  const newest = contents.counter.value;
  const rows = found.slice(0, limit).map((object) => ({ newest, ...objectColumns(object) }));
  return { rows: rows.length > 0 ? rows : [{ newest, ...objectColumns(undefined) }] };
}

function objectsIn(objects: Iterable<ObjectState>, [resource, from, to]: Moment['values']): ObjectState[] {
  return [...objects]
    .filter((object) => object.resource === resource && object.path >= (from as string) && object.path < (to as string))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function objectColumns(object: Omit<ObjectState, 'resource'> | undefined): Row {
  if (!object) return { path: null, uid: null, revision: null, terminating: null, data: null };
  const { path, uid, revision, terminating, data } = object;
  return { path, uid, revision, terminating, data };
}

/** historical-state.repository.ts */
function listPast(moment: Moment): Outcome {
  const { contents, values } = moment;
  const head = { ...markOf(moment), compacted: contents.compaction.revision };
  const limit = values[5] === null ? Infinity : numberOf(values[5]);
  const rows = firstChanges(moment)
    .slice(0, limit)
    .map(({ path, change }) => ({ ...head, ...objectColumns({ path, ...stateBefore(moment, path, change) }) }));
  return { rows: rows.length > 0 ? rows : [{ ...head, ...objectColumns(undefined) }] };
}

function countPast(moment: Moment): Outcome {
  return { rows: [{ ...markOf(moment), compacted: moment.contents.compaction.revision, objects: firstChanges(moment).length }] };
}

/** The paths that existed at the revision, each with its first change since. */
function firstChanges({ contents, values }: Moment): { path: string; change: LogRow | undefined }[] {
  const [resource, from, to, segment, revision] = values;
  const changes = new Map<string, LogRow | undefined>();
  for (const row of logAfter(contents, numberOf(revision))) {
    const inRange = row.resource === resource && row.path >= (from as string) && row.path < (to as string);
    if (inRange && row.segment >= numberOf(segment) && !changes.has(row.path)) changes.set(row.path, row);
  }
  for (const object of objectsIn(contents.objects.values(), values)) if (!changes.has(object.path)) changes.set(object.path, undefined);
  return [...changes]
    .map(([path, change]) => ({ path, change }))
    .filter(({ change }) => change?.kind !== 'A')
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function stateBefore({ contents, values }: Moment, path: string, change: LogRow | undefined): Omit<ObjectState, 'resource' | 'path'> {
  if (!change) return contents.objects.get(`${values[0] as string} ${path}`)!;
  const { kind, uid, terminating, data, previous_revision: revision } = change;
  if (kind === 'D') return { uid, terminating, data, revision: revision! };
  if (change.previous !== null) {
    return { uid: change.previous_uid!, terminating: change.previous_terminating!, data: change.previous, revision: revision! };
  }
  const found = logRowAt(contents, revision!);
  const isBefore = found?.segment === change.segment && found.path === path && found.resource === values[0];
  const before = isBefore ? found : { uid: '', terminating: false, data: '' };
  return { uid: before.uid, terminating: before.terminating, data: before.data, revision: revision! };
}

/** revision-log.repository.ts */
function head(moment: Moment): Row {
  const { counter, compaction } = moment.contents;
  return { ...markOf(moment), newest_segment: counter.segment, segment_start: counter.segmentStart, compacted: compaction.revision };
}

function readChanges(moment: Moment): Outcome {
  const [after, segment, limit, bytes] = moment.values.map(numberOf);
  const page = logAfter(moment.contents, after!)
    .filter((row) => row.segment >= segment!)
    .slice(0, limit);
  const rows = withinBytes(page, bytes!, changeSize).map((row) => ({ ...head(moment), ...row }));
  return { rows: rows.length > 0 ? rows : [{ ...head(moment), revision: null }] };
}

function changeSize({ data, previous }: LogRow): number {
  return data.length + (previous?.length ?? 0);
}

/** object-row.ts */
function withinBytes<R extends object>(page: readonly R[], bytes: number, size: (row: R) => number): (R & Row)[] {
  let before = 0;
  const rows: (R & Row)[] = [];
  for (const row of page) {
    if (before >= bytes) break;
    rows.push({ ...row, bytes_before: before });
    before += size(row);
  }
  return rows;
}

function readStates({ contents, values }: Moment): Outcome {
  const [resources, paths] = values.map(textsOf);
  const revisions = numbersOf(values[2]);
  const rows = resources!.flatMap((resource, i) => {
    const row = logRowAt(contents, revisions[i] ?? 0);
    if (!row || row.segment < numberOf(values[3]) || row.resource !== resource || row.path !== paths![i]) return [];
    const { path, uid, revision, terminating, data } = row;
    return [{ resource, path, uid, revision, terminating, data }];
  });
  return { rows };
}

/** snapshot-reader.ts */
function snapshotObjects({ contents, values }: Moment): Outcome {
  const [resource, path] = values as string[];
  const page = [...contents.objects.values()]
    .filter((object) => object.resource > resource! || (object.resource === resource && object.path > path!))
    .sort((a, b) => (a.resource < b.resource || (a.resource === b.resource && a.path < b.path) ? -1 : 1))
    .slice(0, numberOf(values[2]));
  return { rows: withinBytes(page, numberOf(values[3]), ({ data }) => data.length) };
}

function snapshotHistory({ contents, values }: Moment): Outcome {
  const [segment, after, upTo, limit, bytes] = values.map(numberOf);
  const page = logAfter(contents, after!)
    .filter((row) => row.segment >= segment! && row.revision <= upTo!)
    .reverse()
    .slice(0, limit);
  return { rows: withinBytes(page, bytes!, changeSize) };
}

function segments({ contents, nowMs }: Moment): Outcome {
  const sorted = [...contents.segments].sort((a, b) => a.segment - b.segment);
  return {
    rows: sorted.map(({ segment, startRevision, startedAt }) => ({ segment, start_revision: startRevision, age: nowMs - startedAt + 0.5 })),
  };
}

export const READ_STATEMENTS: readonly SimulatedStatement[] = [
  { is: /^select counter\.value as newest, o\.path, .* left join objects as o on/, run: getObject },
  { is: /^select counter\.value as newest, o\.path, .* left join lateral/, run: listObjects },
  { is: /^with page as materialized/, run: listPast },
  { is: /compacted, \(select count\(\*\) from/, run: countPast },
  { is: /newest_segment, .* left join lateral/, run: readChanges },
  { is: /newest_segment, .* cross join compaction$/, run: (moment) => ({ rows: [head(moment)] }) },
  { is: /^select l\.resource, l\.path, l\.uid/, run: readStates },
  { is: /from \(select resource, path, uid, revision, terminating, data from objects/, run: snapshotObjects },
  { is: /from \(select segment, revision, kind, .* order by revision desc limit/, run: snapshotHistory },
  { is: /^select segment, start_revision, extract/, run: segments },
  {
    is: /as at_home, compaction\.revision as compacted from revision_counter as counter cross join compaction$/,
    run: (moment) => ({ rows: [{ ...markOf(moment), compacted: moment.contents.compaction.revision }] }),
  },
  {
    is: /as at_home, counter\.segment, counter\.segment_start from revision_counter/,
    run: (moment) => {
      const { segment, segmentStart } = moment.contents.counter;
      return { rows: [{ ...markOf(moment), segment, segment_start: segmentStart }] };
    },
  },
  { is: /^select revision from compaction$/, run: ({ contents }) => ({ rows: [{ revision: contents.compaction.revision }] }) },
];

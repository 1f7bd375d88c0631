import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { compileEncoder } from '../../../src/apimachinery/codec/json/json-encoder.js';
import { leaseTermV1 } from '../../../src/apis/history/lease-term/lease-term.resource.js';
import type { PendingWrite } from '../../../src/storage/postgres/write/pending-write.js';
import { termChanges } from '../../../src/storage/postgres/terms/term-writer.js';
import { type TermChange, LEASE_RESOURCE, termHolder, termLabels } from '../../../src/storage/term-change.js';
import { openFixture } from '../storage/postgres-fixture.js';

/*
 * What lease_change_terms records, logs and returns, for the same open terms and two forms of the same changes: times that the server has
 * checked, as servers send them, and times that PostgreSQL reads, as the procedures do.
 */
interface Case {
  readonly change: TermChange;
  /** Columns of the open term that differ from the usual ones. */
  readonly open?: Readonly<Record<string, string | number | boolean>>;
  /** What of the status of the term that ends differs from LATE. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const HOLDERS = ['plain', '"quoted\\"', '<a>&b', '\u2028\u2029', '\0\u0001\b\t\n\f\r\u001f\u007f', 'é😀\ufffd', '\ud800', 'h'.repeat(700)];
const READ = {
  '2026-03-04T05:06:07.089123Z': '2026-03-04T05:06:07.089123Z',
  '2026-03-04T05:06:07.089Z': '2026-03-04T05:06:07.089000Z',
  '2024-02-29T23:59:59.000001Z': '2024-02-29T23:59:59.000001Z',
  '2023-02-29T00:00:00.000000Z': undefined,
  '2023-06-30T23:59:60.000000Z': '2023-07-01T00:00:00.000000Z',
  '2023-06-30T24:00:00.000000Z': '2023-07-01T00:00:00.000000Z',
  '2023-06-30T10:00:00.500000+02:00': '2023-06-30T08:00:00.500000Z',
  '0000-01-01T00:00:00.000000Z': undefined,
  '0001-01-01T00:00:01.000000Z': '0001-01-01T00:00:01.000000Z',
  '9999-12-31T23:59:59.999999Z': '9999-12-31T23:59:59.999999Z',
  'no time': undefined,
};
const TIMES = Object.keys(READ);
const BEGAN = '2026-01-02T03:04:05.678901Z';
const EARLIER = Date.parse('2026-03-04T05:06:07.089Z');
const LATE = {
  ...{ phase: 'Ended', until: 'MOMENT', reason: 'Deleted', lastRenewTime: TIMES[0], lapsed: true },
  ...{ lapsedAt: '2026-03-04T05:06:07.089000Z', lapses: 1 },
};
const PUNCTUAL = { lapsed: undefined, lapsedAt: undefined, lapses: undefined };
const BEFORE_IT_BEGAN = { reason: 'Expired', lapsedAt: BEGAN };
/** When the holder's time is over, and what becomes of its term if it is replaced. */
const EXPIRIES = [
  [EARLIER, { reason: 'Expired' }],
  [Date.parse('2026-01-01T00:00:00Z'), BEFORE_IT_BEGAN],
  [Date.parse('2100-01-01T00:00:00Z'), { ...PUNCTUAL, reason: 'Replaced' }],
  [253_402_300_800_000, { ...PUNCTUAL, reason: 'Replaced' }],
  [-62_135_596_800_000, BEFORE_IT_BEGAN],
  [-62_167_219_200_000, { ...PUNCTUAL, reason: 'Replaced' }], // the year 0
] as const;
const ended = { reason: 'Deleted', holder: 'plain', durationSeconds: 15, renewTime: TIMES[0], expiresMs: EARLIER } as const;

const CASES: readonly Case[] = [
  ...HOLDERS.map((holder) => ({
    change: { leaseUid: 'u', ended: { ...ended, holder }, begun: { holder: `next ${holder}` } },
    open: { holder: termHolder(holder) },
  })),
  ...Object.entries(READ).map(([renewTime, lastRenewTime]) => ({
    change: { leaseUid: 'u', ended: { ...ended, renewTime } },
    status: { lastRenewTime },
  })),
  ...EXPIRIES.map(([expiresMs, status]) => ({
    change: { leaseUid: 'u', ended: { ...ended, reason: 'Replaced', expiresMs } as const },
    status,
  })),
  ...EXPIRIES.map(([expiresMs], at) => ({
    change: { leaseUid: 'u', ended: { ...ended, expiresMs } },
    open: { lapsed: true, lapsed_at: TIMES[2]!, lapses: 2 },
    // renewed late, with an expiry that is still to come
    status: { lapsedAt: TIMES[2], lapses: 2, ...(at === 2 ? { lapsed: undefined } : {}) },
  })),
  { change: { leaseUid: 'u', ended }, open: { lapsed: false, lapsed_at: TIMES[2]!, lapses: 1 }, status: { lapses: 2 } },
  {
    change: { leaseUid: 'u', ended },
    open: { began: '2100-01-01T00:00:00Z', transitions: 3 },
    status: { until: '2100-01-01T00:00:00.000000Z', lapsedAt: '2100-01-01T00:00:00.000000Z' },
  },
  {
    change: { leaseUid: 'u', ended: { ...ended, expiresMs: undefined, renewTime: undefined, durationSeconds: undefined } },
    status: { ...PUNCTUAL, lastRenewTime: undefined },
  },
  { change: { leaseUid: 'u', ended: { ...ended, durationSeconds: 30 } }, open: { labels: '{"a":"b","c":""}' } },
  {
    change: { leaseUid: 'u', ended },
    open: { holder: 'another', lease_uid: '<&>"' },
    status: { ...PUNCTUAL, reason: 'Unknown' },
  },
  { change: { leaseUid: '<&>"', begun: { holder: 'first', durationSeconds: 15, transitions: 0, labels: { b: 'c', a: '' } } } },
];

const fixture = forAllTests(() => openFixture(1));
beforeAll(async () => {
  for (const [at, { open, change }] of CASES.entries()) {
    if (!change.ended) continue;
    const usual = { holder: 'plain', began: BEGAN, duration_seconds: 15, uid: `uid-${at}`, lease_uid: 'u' };
    const row = {
      segment: 0,
      namespace: 'ns',
      lease: `lease-${at}`,
      token: 1000 + at,
      created: 1000 + at,
      revision: 1000 + at,
      ...usual,
      ...open,
    };
    await fixture.client.query(
      `insert into lease_term (${Object.keys(row).join(', ')}) values (${Object.keys(row)
        .map((_, i) => `$${i + 1}`)
        .join(', ')})`,
      Object.values(row),
    );
  }
});

/** What differs from call to call: the moment at which terms end and begin, and the uids of those that begin. */
const settled = (rows: readonly Readonly<Record<string, unknown>>[], moment: string) =>
  JSON.parse(
    JSON.stringify(rows)
      .replaceAll(moment, 'MOMENT')
      .replaceAll(`${moment.slice(0, 19)}Z`, 'MOMENT'),
    (key, value: unknown) =>
      key === 'uid' && String(value).length === 36
        ? 'UID'
        : typeof value === 'string'
          ? value.replace(/"uid":"[-\da-f]{36}"/, '"uid":"UID"')
          : value,
  ) as unknown;

/** The rows that are returned, recorded and logged; nothing of it stays. */
async function changed(changes: readonly object[]) {
  await fixture.client.query('begin');
  try {
    await fixture.client.query('select set_config($1, $2, true), set_config($3, $4, true)', [
      'search_path',
      'coordination_tables, coordination, pg_temp',
      'timezone',
      'Asia/Tokyo',
    ]);
    const returned = await fixture.rows<{ revision: number; data: string; previous: string | null }>(
      'select * from lease_change_terms(5000, 1, $1::jsonb) order by revision',
      [JSON.stringify(changes)],
    );
    const terms = await fixture.rows<Record<string, unknown>>(
      'select to_jsonb(t) - $1::text[] as term, lease_term_object(t) as text from lease_term t order by lease, token',
      [['uid']],
    );
    const log = await fixture.rows<Record<string, unknown>>('select * from revision_log order by revision');
    const [{ moment } = { moment: '' }] = await fixture.rows<{ moment: string }>(
      `select lease_micro_time(began) as moment from lease_term where segment = 0 and created > 5000 limit 1`,
    );
    const [{ local } = { local: '' }] = await fixture.rows<{ local: string }>(
      `select to_jsonb(began) #>> '{}' as local from lease_term where segment = 0 and created > 5000 limit 1`,
    );
    return {
      returned,
      same: settled(
        [...returned, ...terms, ...log].map(
          (row) => JSON.parse(JSON.stringify(row).replaceAll(local, 'MOMENT')) as Record<string, unknown>,
        ),
        moment,
      ),
    };
  } finally {
    await fixture.client.query('rollback');
  }
}

test('terms are recorded, logged and returned alike in both forms, for every kind of holder and time', async () => {
  const batch = CASES.map(({ change }, at) => ({
    key: { resource: LEASE_RESOURCE, namespace: 'ns', name: `lease-${at}` },
    sequel: change,
  }));
  const checked = await changed(termChanges(batch as unknown as readonly PendingWrite[]));
  const unchecked = CASES.map(({ change: { leaseUid, ended: end, begun } }, at) => ({
    ...{ ago: CASES.length - at - 1, namespace: 'ns', lease: `lease-${at}`, lease_uid: begun && leaseUid },
    ...{ reason: end?.reason, held_by: end && termHolder(end.holder), held_duration: end?.durationSeconds, renewed: end?.renewTime },
    expires: end?.expiresMs === undefined ? undefined : new Date(end.expiresMs).toISOString(),
    ...{ holder: begun && termHolder(begun.holder), duration: begun?.durationSeconds, transitions: begun?.transitions },
    labels: termLabels(begun?.labels),
  }));
  expect(checked.returned.length).toBe(CASES.length + HOLDERS.length);
  expect((await changed(unchecked)).same).toEqual(checked.same);
  const encode = compileEncoder(leaseTermV1.schema);
  for (const { data, previous } of checked.returned) {
    for (const text of [data, previous ?? data]) expect(encode(JSON.parse(text) as object)).toBe(text);
  }
  const settledTerms = (checked.same as { kind: string; data: string }[]).slice(0, checked.returned.length);
  const statuses = settledTerms.filter(({ kind }) => kind === 'M').map(({ data }) => (JSON.parse(data) as { status: object }).status);
  expect(statuses).toEqual(CASES.flatMap(({ change, status }) => (change.ended ? [{ ...LATE, ...status }] : [])));
});

test('times are marked as readable only if PostgreSQL writes them just so', async () => {
  const change = (renewTime: string) => ({
    key: { resource: LEASE_RESOURCE, namespace: 'ns', name: 'a' },
    sequel: { leaseUid: 'u', ended: { ...ended, renewTime } },
  });
  const marked = termChanges(TIMES.map(change) as unknown as readonly PendingWrite[]).flatMap(({ renewed_at: time }) => time ?? []);
  expect(marked).toEqual([TIMES[0], TIMES[2], TIMES[8], TIMES[9]]);
  for (const time of marked) {
    const [row] = await fixture.rows<{ text: string }>('select lease_micro_time($1::timestamptz) as text', [time]);
    expect(row?.text).toBe(time);
  }
});

test('a change that names a revision takes effect only while the lease is at it, or with 0 only while there is none', async () => {
  await fixture.client.query(`insert into objects values ('${LEASE_RESOURCE}', 'ns/there', 4000, false, 'u', '{}')`);
  const begin = (lease: string, revision: number) => ({
    ...{ namespace: 'ns', lease, lease_revision: revision, lease_uid: 'u', token: revision, holder: `${lease}-${revision}` },
  });
  const { returned } = await changed([
    begin('there', 3999),
    begin('there', 0),
    begin('there', 4000),
    begin('gone', 4000),
    begin('gone', 0),
  ]);
  const holders = returned.map(({ data }) => (JSON.parse(data) as { spec: { holder: string } }).spec.holder);
  expect(holders).toEqual(['there-4000', 'gone-0']);
});

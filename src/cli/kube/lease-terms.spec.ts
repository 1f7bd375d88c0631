import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, test } from '@jest/globals';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import { KubeClient } from '../../kube/kube-client.js';
import { historyOf, leaderAt, termsOf } from './lease-terms.js';

{
  const TERM = { spec: { holder: 'a', fencingToken: '7', from: null }, status: {} };
  let items: readonly object[] = [];
  let server: http.Server;
  let client: KubeClient;
  beforeAll(async () => {
    const list = () => ({ kind: 'List', items: items.map((item, at) => ({ metadata: { name: `t.${at}` }, ...item })) });
    server = http.createServer((_, response) => response.end(JSON.stringify(list())));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new KubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('takes the terms of a lease', async () => {
    items = [TERM];
    expect(await termsOf(client, { namespace: 'default', name: 't' })).toMatchObject([TERM]);
  });

  it.each([
    ['nothing', {}],
    ['no status', { spec: TERM.spec }],
    ['a holder that is no text', { ...TERM, spec: { ...TERM.spec, holder: {} } }],
    ['a token that is no text', { ...TERM, spec: { ...TERM.spec, fencingToken: 7 } }],
    ['an end that is no text', { ...TERM, status: { until: {} } }],
  ])('refuses terms with %s in one line', async (_, item) => {
    items = [TERM, item];
    await expect(termsOf(client, { namespace: 'default', name: 't' })).rejects.toThrow('lists objects that are no terms');
  });
}

const time = (seconds: number) => `2026-01-02T03:04:${String(seconds).padStart(2, '0')}.000000Z`;
const at = (seconds: number) => Date.parse(time(seconds));

function term(holder: string, from: number, until?: number): LeaseTerm {
  return {
    metadata: { name: `a.${from}` },
    spec: { leaseName: 'a', leaseUID: 'u', holder, fencingToken: String(1000 + from), from: time(from) },
    status: until === undefined ? { phase: 'Held' } : { phase: 'Ended', until: time(until), reason: 'Released' },
  };
}

const TERMS = [term('x', 10, 20), term('y', 25, 30), term('z', 30)];

test('a history has the duration of each term and the time without a holder before it', () => {
  expect(historyOf(TERMS, at(40))).toEqual([
    { holder: 'x', from: time(10), until: time(20), durationMs: 10_000, reason: 'Released', fencingToken: '1010' },
    { holder: 'y', from: time(25), until: time(30), durationMs: 5_000, reason: 'Released', gapMs: 5_000, fencingToken: '1025' },
    { holder: 'z', from: time(30), durationMs: 10_000, gapMs: 0, fencingToken: '1030' },
  ]);
});

test.each([
  [5, { holder: '', until: time(10) }],
  [10, { holder: 'x', fencingToken: '1010', from: time(10), until: time(20), reason: 'Released' }],
  [19, { holder: 'x', fencingToken: '1010', from: time(10), until: time(20), reason: 'Released' }],
  [20, { holder: '', from: time(20), until: time(25) }],
  [30, { holder: 'z', fencingToken: '1030', from: time(30) }],
  [50, { holder: 'z', fencingToken: '1030', from: time(30) }],
])('at second %i of a history there is one leader or a gap', (second, expected) => {
  expect(leaderAt(TERMS, at(second))).toEqual(expected);
});

test('a leader whose time was over by then is told from one that was in time', () => {
  const late = term('x', 10);
  const lapsed = [{ ...late, status: { ...late.status, lapsed: true, lapsedAt: time(25) } }];
  expect(leaderAt(lapsed, at(24))).toEqual({ holder: 'x', fencingToken: '1010', from: time(10) });
  expect(leaderAt(lapsed, at(25))).toEqual({ holder: 'x', fencingToken: '1010', from: time(10), expired: time(25) });
});

test('a lease without terms has had no leader', () => {
  expect(leaderAt([], at(5))).toEqual({ holder: '' });
  expect(leaderAt([term('x', 10, 20)], at(30))).toEqual({ holder: '', from: time(20) });
});

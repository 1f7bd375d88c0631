import { beforeEach, describe, expect, test } from '@jest/globals';
import { FakeClock, settle } from '../test/support/fake-clock.js';
import { type MemoryClient, MemoryObjects } from '../test/support/memory-objects.js';
import type { LeaderElectorOptions } from './elector-options.js';
import { type LeaseSpec, microTime } from '../../kube-client/src/kubernetes-objects.js';
import { LeaderElector } from './leader-elector.js';
import type { LeadershipTerm, TermEndedError } from './leadership-term.js';

let clock: FakeClock;
let leases: MemoryObjects<LeaseSpec>;

beforeEach(() => {
  clock = new FakeClock();
  leases = new MemoryObjects();
});

interface Candidate {
  readonly elector: LeaderElector;
  readonly client: MemoryClient<LeaseSpec>;
  readonly events: string[];
  readonly errors: unknown[];
  readonly abort: () => void;
  readonly done: Promise<void>;
  term(): LeadershipTerm;
}

function candidate(
  identity: string,
  more: Partial<LeaderElectorOptions> & { work?: (term: LeadershipTerm) => void | Promise<void> } = {},
): Candidate {
  const client = leases.client();
  const events: string[] = [];
  const errors: unknown[] = [];
  const terms: LeadershipTerm[] = [];
  const controller = new AbortController();
  const elector = new LeaderElector({
    client,
    namespace: 'default',
    name: 'lease',
    identity,
    clock,
    random: () => 0,
    onError: (error) => errors.push(error),
    callbacks: {
      onStartedLeading(term) {
        terms.push(term);
        events.push(`started ${term.fencingToken}`);
        return more.work?.(term);
      },
      onStoppedLeading: (term) => events.push(`stopped ${term ? (term.signal.reason as TermEndedError).why : 'without a term'}`),
      onNewLeader: (leader) => events.push(`new leader ${leader}`),
    },
    ...more,
  });
  const done = elector.run(controller.signal);
  done.catch(() => undefined);
  return { elector, client, events, errors, done, abort: () => controller.abort(), term: () => terms.at(-1)! };
}

const spec = () => leases.get('lease')?.spec;
const revision = () => leases.get('lease')?.metadata.resourceVersion;

describe('acquiring', () => {
  test('a lease that does not exist is created, and the token is its version', async () => {
    const a = candidate('a', { labels: { app: 'x' } });
    await settle();
    const now = microTime(clock.wallTime());
    expect(leases.get('lease')).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lease', namespace: 'default', labels: { app: 'x' }, resourceVersion: '101' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime: now, renewTime: now, leaseTransitions: 0 },
    });
    expect(a.events).toEqual(['new leader a', 'started 101']);
    expect(a.term().fencingToken).toBe(101n);
    expect(a.elector.isLeader()).toBe(true);
  });

  test('a lease that another candidate renews is never taken', async () => {
    candidate('a');
    await settle();
    const b = candidate('b');
    await clock.pass(120_000);
    expect(b.events).toEqual(['new leader a']);
    expect(b.elector.leader).toBe('a');
    expect(b.elector.isLeader()).toBe(false);
  });

  test('a lease is taken when by the local clock it has not changed for its own duration, regardless of the times in it', async () => {
    const distant = '2099-01-01T00:00:00.000000Z';
    leases.put({
      metadata: { name: 'lease' },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 30, leaseTransitions: 4, acquireTime: distant, renewTime: distant },
    });
    const b = candidate('b');
    await clock.pass(29_999);
    expect(b.events).toEqual(['new leader gone']);
    await clock.pass(2_001);
    expect(b.events).toEqual(['new leader gone', 'new leader b', 'started 102']);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5, leaseDurationSeconds: 15 });
  });

  test('a released lease is taken at once', async () => {
    leases.put({ metadata: { name: 'lease' }, spec: { holderIdentity: '', leaseDurationSeconds: 30, leaseTransitions: 1 } });
    candidate('b');
    await settle();
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 2 });
  });

  test('only one of two candidates that see the same state gets the lease', async () => {
    const [a, b] = [candidate('a'), candidate('b')];
    await clock.pass(5_000);
    expect([a, b].filter(({ elector }) => elector.isLeader())).toHaveLength(1);
    expect([...a.events, ...b.events].filter((event) => event.startsWith('started'))).toHaveLength(1);
  });

  test.each([
    [0, 2_000],
    [0.999999, 4_400],
  ])('attempts are between one and 2.2 retry periods apart: random %d', async (random, period) => {
    leases.put({ metadata: { name: 'lease' }, spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 } });
    const { client } = candidate('b', { random: () => random });
    await settle();
    expect(client.requests).toHaveLength(1);
    await clock.pass(period - 1);
    expect(client.requests).toHaveLength(1);
    await clock.pass(1);
    expect(client.requests).toHaveLength(2);
  });

  test('a response that arrives after the renew deadline does not begin a term', async () => {
    const a = candidate('a', { retryPeriod: 100, renewDeadline: 1_000, leaseDuration: 2_000 });
    a.client.network = 'unanswered'; // the lease is written, but its holder does not know
    await clock.pass(900);
    a.client.network = 'up';
    await clock.pass(200);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.term().fencingToken).toBe(BigInt(revision()!));
  });
});

describe('renewing', () => {
  test('costs one update per retry period and keeps acquireTime and leaseTransitions', async () => {
    const a = candidate('a');
    await settle();
    const { acquireTime } = spec()!;
    a.client.requests.length = 0;
    await clock.pass(10_000);
    expect(a.client.requests).toEqual(['update', 'update', 'update', 'update', 'update']);
    expect(spec()).toMatchObject({ acquireTime, leaseTransitions: 0, renewTime: microTime(clock.wallTime()) });
    expect(a.events).toEqual(['new leader a', 'started 101']);
  });

  test('changes the lease, even where the wall clock stands still', async () => {
    const stopped = new Date(Date.UTC(2026, 0, 1));
    const after = (ms: number, run: () => void) => clock.after(ms, run);
    candidate('a', { clock: { monotonic: () => clock.monotonic(), wallTime: () => stopped, after } });
    const times = [];
    for (let n = 0; n < 4; n++) {
      await clock.pass(2_000);
      times.push(spec()?.renewTime);
    }
    // no time comes back: a candidate that looks at every second renewal would see none
    expect(times).toEqual([1, 2, 3, 4].map((micros) => `2026-01-01T00:00:00.00000${micros}Z`));
  });

  test('a conflict with a change of other fields is resolved by a read', async () => {
    const a = candidate('a');
    await settle();
    leases.put({ ...leases.get('lease')!, metadata: { ...leases.get('lease')!.metadata, labels: { by: 'kubectl' } } });
    a.client.requests.length = 0;
    await clock.pass(2_000);
    expect(a.client.requests).toEqual(['update', 'get', 'update']);
    expect(leases.get('lease')?.metadata.labels).toEqual({ by: 'kubectl' });
    expect(a.elector.isLeader()).toBe(true);
  });

  test('failures are tolerated until the renew deadline after the last success', async () => {
    const a = candidate('a');
    await clock.pass(2_000);
    a.client.network = 'down';
    await clock.pass(9_999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.pass(1);
    expect(a.elector.isLeader()).toBe(false);
    expect(a.events.at(-1)).toBe('stopped deadline');
    expect(a.errors.length).toBeGreaterThan(3);
    await a.done;
  });

  test('one response in time is enough', async () => {
    const a = candidate('a');
    await settle();
    a.client.network = 'down';
    await clock.pass(7_000);
    a.client.network = 'up';
    await clock.pass(8_000);
    expect(a.elector.isLeader()).toBe(true);
  });

  test('a server that never answers costs one request after another, and the lease at the deadline', async () => {
    const a = candidate('a');
    await settle();
    a.client.network = 'silent';
    await clock.pass(9_999);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.client.requests.length).toBeGreaterThan(2);
    await clock.pass(1);
    expect(a.events.at(-1)).toBe('stopped deadline');
  });

  test('a write that took effect without a response is found again', async () => {
    const a = candidate('a');
    await settle();
    a.client.network = 'unanswered';
    await clock.pass(3_000);
    a.client.network = 'up';
    await clock.pass(20_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(a.events).toEqual(['new leader a', 'started 101']);
  });

  test.each([
    ['held by another', () => leases.patch('lease', { holderIdentity: 'b' }), 'stopped taken'],
    ['released by another', () => leases.patch('lease', { holderIdentity: '' }), 'stopped taken'],
    ['deleted', () => leases.delete('lease'), 'stopped missing'],
  ])('a lease that is %s ends the term with the next attempt', async (_, change, event) => {
    const a = candidate('a');
    await settle();
    change();
    const writes = leases.writes.length;
    await clock.pass(2_000);
    expect(a.events.at(-1)).toBe(event);
    expect(leases.writes).toHaveLength(writes);
    await a.done;
  });
});

describe('a process that was stopped', () => {
  test.each([10_000, 60_000])('for %d ms steps down with the first late timer, without a request', async (ms) => {
    const a = candidate('a');
    await settle();
    a.client.requests.length = 0;
    await clock.stopFor(ms);
    expect(a.events.at(-1)).toBe('stopped deadline');
    expect(a.client.requests).toEqual([]);
  });

  test('sees the end of its term in isValid before any timer has run', async () => {
    const valid: boolean[] = [];
    const a = candidate('a', { work: (term) => void clock.after(1_000, () => valid.push(term.isValid(), term.signal.aborted)) });
    await settle();
    expect(a.term().remaining()).toBe(10_000);
    await clock.stopFor(30_000);
    expect(valid).toEqual([false, true]);
    expect(() => a.term().throwIfEnded()).toThrow('the term of leadership has ended: deadline');
    expect(a.term().remaining()).toBe(0);
  });

  test('for less than the deadline continues its term', async () => {
    const a = candidate('a');
    await settle();
    await clock.stopFor(9_000);
    await clock.pass(20_000);
    expect(a.elector.isLeader()).toBe(true);
  });
});

describe('stopping', () => {
  test('an abort ends the term, and with releaseOnCancel empties the lease', async () => {
    const a = candidate('a', { releaseOnCancel: true });
    await clock.pass(4_000);
    a.abort();
    await a.done;
    expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(a.events).toEqual(['new leader a', 'started 101', 'stopped aborted']);
  });

  test('without releaseOnCancel the lease is left to expire', async () => {
    const a = candidate('a');
    await settle();
    a.abort();
    await a.done;
    expect(spec()?.holderIdentity).toBe('a');
  });

  test('a release never overwrites a successor', async () => {
    const a = candidate('a', { releaseOnCancel: true });
    await settle();
    leases.patch('lease', { holderIdentity: 'b', leaseTransitions: 1 });
    a.abort();
    await a.done;
    expect(spec()?.holderIdentity).toBe('b');
  });

  test('the lease is released only after the work is done', async () => {
    let finish: () => void = () => undefined;
    const a = candidate('a', { releaseOnCancel: true, work: () => new Promise<void>((resolve) => (finish = resolve)) });
    await settle();
    a.abort();
    await clock.pass(3_000);
    expect(spec()?.holderIdentity).toBe('a');
    finish();
    await a.done;
    expect(spec()?.holderIdentity).toBe('');
  });

  test('the release does not wait for work that continues beyond the lease', async () => {
    const a = candidate('a', { releaseOnCancel: true, work: () => new Promise<void>(() => undefined) });
    await settle();
    a.abort();
    await clock.pass(15_000);
    await a.done;
    expect(spec()?.holderIdentity).toBe('a');
  });

  test('nothing happens after the end: no callback, no request, no timer', async () => {
    const a = candidate('a', { releaseOnCancel: true });
    await settle();
    a.abort();
    await a.done;
    const [events, requests] = [a.events.length, a.client.requests.length];
    leases.patch('lease', { holderIdentity: 'b' });
    await clock.pass(100_000);
    expect([a.events.length, a.client.requests.length, clock.pending]).toEqual([events, requests, 0]);
  });

  test.each(Array.from({ length: 40 }, (_, step) => step * 250))('an abort %d ms after the start ends everything', async (ms) => {
    const [a, b] = [candidate('a'), candidate('b', { releaseOnCancel: true })];
    await clock.pass(ms);
    b.client.network = ms % 500 === 0 ? 'silent' : 'up';
    await clock.pass(100);
    for (const one of [a, b]) one.abort();
    await clock.pass(20_000);
    await Promise.all([a.done, b.done]);
    for (const one of [a, b]) expect(one.events.filter((event) => event.startsWith('stopped'))).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('a run aborted before it starts calls only onStoppedLeading, as client-go does', async () => {
    const events: string[] = [];
    const client = leases.client();
    const callbacks = { onStartedLeading: () => void events.push('started'), onStoppedLeading: () => void events.push('stopped') };
    await new LeaderElector({ client, namespace: 'default', name: 'lease', clock, callbacks }).run(AbortSignal.abort());
    expect(events).toEqual(['stopped']);
    expect(client.requests).toEqual([]);
  });

  test('work that rejects ends the term, and run rejects with its error', async () => {
    const a = candidate('a', { releaseOnCancel: true, work: () => Promise.reject(new Error('broken')) });
    await expect(a.done).rejects.toThrow('broken');
    expect(spec()?.holderIdentity).toBe('');
    expect(a.events.at(-1)).toBe('stopped failed');
  });

  test('a term can be resigned', async () => {
    const a = candidate('a', { releaseOnCancel: true });
    await settle();
    a.term().resign();
    await a.done;
    expect(a.events.at(-1)).toBe('stopped resigned');
    expect(spec()?.holderIdentity).toBe('');
  });

  test('an elector runs once at a time, and again afterwards', async () => {
    const a = candidate('a');
    await settle();
    await expect(a.elector.run()).rejects.toThrow('running already');
    a.abort();
    await a.done;
    void a.elector.run(AbortSignal.abort());
  });
});

describe('terms', () => {
  const electorOf = (client: MemoryClient<LeaseSpec>) =>
    new LeaderElector({ client, namespace: 'default', name: 'lease', identity: 'a', clock, random: () => 0, releaseOnCancel: true });

  test('come one after another, with growing tokens', async () => {
    const client = leases.client();
    const seen: string[] = [];
    const controller = new AbortController();
    const loop = (async () => {
      for await (const term of electorOf(client).terms(controller.signal)) {
        seen.push(`leading ${term.fencingToken}`);
        await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
        seen.push((term.signal.reason as TermEndedError).why);
      }
    })();
    await settle();
    leases.patch('lease', { holderIdentity: 'b', leaseDurationSeconds: 5 });
    await clock.pass(20_000);
    controller.abort();
    await clock.pass(20_000);
    await loop;
    expect(seen).toEqual(['leading 101', 'taken', 'leading 103', 'aborted']);
    expect(spec()?.holderIdentity).toBe('');
    expect(clock.pending).toBe(0);
  });

  test('a finished body waits for the end of the term', async () => {
    const client = leases.client();
    const controller = new AbortController();
    let terms = 0;
    const loop = (async () => {
      for await (const _ of electorOf(client).terms(controller.signal)) terms++;
    })();
    await clock.pass(30_000);
    expect([terms, spec()?.holderIdentity]).toEqual([1, 'a']);
    controller.abort();
    await loop;
  });

  test('leaving the loop resigns and releases', async () => {
    for await (const term of electorOf(leases.client()).terms()) {
      expect(term.isValid()).toBe(true);
      break;
    }
    expect(spec()?.holderIdentity).toBe('');
    expect(clock.pending).toBe(0);
  });
});

describe('coordinated', () => {
  const coordinated = () => ({ client: new MemoryObjects<never>().client() as never, binaryVersion: '1.2.0' });
  const assign = (change: LeaseSpec = {}) =>
    leases.put({
      metadata: { name: 'lease' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 5, renewTime: 'x', strategy: 'OldestEmulationVersion', ...change },
    });

  test('a lease is neither created nor stolen', async () => {
    const a = candidate('a', { coordinated: coordinated() });
    await clock.pass(10_000);
    expect(leases.writes).toHaveLength(0);
    assign({ holderIdentity: 'gone' });
    await clock.pass(60_000);
    expect(leases.writes).toHaveLength(1);
    expect(a.elector.isLeader()).toBe(false);
  });

  test('an assigned lease is renewed with its own duration, and keeps its strategy', async () => {
    assign();
    const a = candidate('a', { coordinated: coordinated() });
    await settle();
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, strategy: 'OldestEmulationVersion' });
    expect(a.term().fencingToken).toBe(102n);
    await clock.pass(30_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(spec()?.strategy).toBe('OldestEmulationVersion');
  });

  test('a preferred holder ends the term', async () => {
    assign();
    const a = candidate('a', { coordinated: coordinated() });
    await settle();
    leases.patch('lease', { preferredHolder: 'b' });
    await clock.pass(2_000);
    await a.done;
    expect(a.events.at(-1)).toBe('stopped end-of-term');
    expect(spec()).toMatchObject({ holderIdentity: 'a', preferredHolder: 'b' });
  });

  test('with a drain, a preferred holder waits until the work has ended', async () => {
    assign();
    let finish: () => void = () => undefined;
    const work = () => new Promise<void>((resolve) => (finish = resolve));
    const a = candidate('a', { coordinated: coordinated(), drain: 30_000, releaseOnCancel: true, work });
    await settle();
    leases.patch('lease', { preferredHolder: 'b' });
    await clock.pass(20_000);
    expect(a.elector.isLeader()).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'a', preferredHolder: 'b', strategy: 'OldestEmulationVersion' });
    finish();
    await a.done;
    expect(a.events.at(-1)).toBe('stopped end-of-term');
    expect(spec()?.holderIdentity).toBe('');
  });

  test('a lease that already prefers another holder is not taken', async () => {
    assign({ preferredHolder: 'b' });
    const a = candidate('a', { coordinated: coordinated() });
    await clock.pass(4_000);
    expect(a.elector.isLeader()).toBe(false);
  });
});

/** Work that is at a good place whenever the test says so, and ends with its term. */
function stepwise() {
  const terms: LeadershipTerm[] = [];
  const work = (term: LeadershipTerm) =>
    new Promise<void>((resolve) => {
      terms.push(term);
      term.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  return { work, step: () => terms.at(-1)!.atGoodPlace() };
}

describe('draining', () => {
  test('a leader that is told to stop renews until its work has ended', async () => {
    let finish: () => void = () => undefined;
    const work = () => new Promise<void>((resolve) => (finish = resolve));
    const a = candidate('a', { releaseOnCancel: true, drain: 60_000, work });
    const b = candidate('b');
    await settle();
    a.abort();
    await clock.pass(40_000);
    expect([a.elector.isLeader(), a.term().ending.aborted, a.term().signal.aborted]).toEqual([true, true, false]);
    finish();
    await a.done;
    await clock.pass(4_400);
    expect([a.events.at(-1), b.elector.isLeader()]).toEqual(['stopped aborted', true]);
  });

  test('a leader whose work does not end in time ends its term', async () => {
    const a = candidate('a', { releaseOnCancel: true, drain: 20_000, work: () => new Promise<void>(() => undefined) });
    await settle();
    a.abort();
    await clock.pass(19_999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.pass(1);
    expect([a.elector.isLeader(), a.events.length, spec()?.holderIdentity]).toEqual([false, 2, 'a']);
    await clock.pass(15_000);
    await a.done;
    expect([a.events.at(-1), spec()?.holderIdentity, clock.pending]).toEqual(['stopped aborted', 'a', 0]);
  });

  test('work that rejects with an AbortError when it is to end has ended', async () => {
    const work = ({ ending }: LeadershipTerm) =>
      new Promise<void>((_, reject) => ending.addEventListener('abort', () => reject(ending.reason as Error), { once: true }));
    const a = candidate('a', { releaseOnCancel: true, drain: 20_000, work });
    await settle();
    a.abort();
    await a.done;
    expect([a.events.at(-1), spec()?.holderIdentity]).toEqual(['stopped aborted', '']);
  });

  test('work that ended long before does not delay the end', async () => {
    const a = candidate('a', { releaseOnCancel: true, drain: 20_000 });
    await clock.pass(5_000);
    a.abort();
    await a.done;
    expect(spec()?.holderIdentity).toBe('');
  });

  test('a holder that cannot renew while it drains ends its term at the deadline', async () => {
    const a = candidate('a', { drain: 60_000, work: () => new Promise<void>(() => undefined) });
    await settle();
    a.abort();
    a.client.network = 'down';
    await clock.pass(10_000);
    expect(a.elector.isLeader()).toBe(false);
  });
});

describe('a longest term', () => {
  test('ends at the next good place, and another leads within a retry', async () => {
    const { work, step } = stepwise();
    const a = candidate('a', { maxTerm: 60_000, work });
    const b = candidate('b', { random: () => 0.999999 });
    await clock.pass(59_999);
    expect([step(), a.term().ending.aborted]).toEqual([true, false]);
    await clock.pass(10_000);
    expect([a.term().ending.aborted, a.elector.isLeader()]).toEqual([true, true]);
    expect(step()).toBe(false);
    await a.done;
    await clock.pass(4_400);
    expect([a.events.at(-1), b.elector.isLeader()]).toEqual(['stopped max-term', true]);
  });

  test('that is over without a good place ends after 30 s', async () => {
    const a = candidate('a', { maxTerm: 60_000, work: () => new Promise<void>(() => undefined) });
    await clock.pass(89_999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.pass(1);
    expect(a.elector.isLeader()).toBe(false);
  });

  test('is followed by time for others, and begins again if nobody wants it', async () => {
    const controller = new AbortController();
    const began: number[] = [];
    const options = {
      client: leases.client(),
      namespace: 'default',
      name: 'lease',
      identity: 'a',
      clock,
      random: () => 0,
      maxTerm: 20_000,
    };
    const loop = (async () => {
      for await (const { ending } of new LeaderElector(options).terms(controller.signal)) {
        began.push(clock.monotonic());
        await new Promise((resolve) => ending.addEventListener('abort', resolve));
      }
    })();
    await clock.pass(60_000);
    controller.abort();
    await loop;
    // the longest retry of another candidate, after the pause between two terms
    expect(began.slice(1).map((at, index) => at - began[index]!)).toEqual([24_400, 24_400]);
    expect(clock.pending).toBe(0);
  });

  test('a stop shortens the drain of a term that is over', async () => {
    const a = candidate('a', { maxTerm: 20_000, drain: 60_000, releaseOnCancel: true, work: () => new Promise<void>(() => undefined) });
    await clock.pass(21_000);
    a.abort();
    await clock.pass(60_000);
    expect([a.elector.isLeader(), (a.term().signal.reason as TermEndedError).why]).toEqual([false, 'max-term']);
    await clock.pass(15_000);
    await a.done;
  });
});

describe('priorities', () => {
  const leaders = (...all: Candidate[]) => all.filter(({ elector }) => elector.isLeader()).map(({ elector }) => elector.identity);

  test('a preferred candidate leads within a retry of the next good place', async () => {
    const { work, step } = stepwise();
    const a = candidate('a', { priority: 1, work });
    await clock.pass(20_000);
    const b = candidate('b', { priority: 2 });
    const c = candidate('c', { priority: 1 });
    await clock.pass(5_000);
    expect([a.term().ending.aborted, leaders(a, b, c)]).toEqual([true, ['a']]);
    expect(step()).toBe(false);
    await a.done;
    await clock.pass(4_400);
    expect([a.events.at(-1), leaders(b, c)]).toEqual(['stopped preferred', ['b']]);
    await clock.pass(120_000);
    expect(leaders(b, c)).toEqual(['b']);
    expect(spec()).not.toHaveProperty('strategy');
  });

  test('equal ones never ask each other, and asking costs one write', async () => {
    const [a, b, c] = [candidate('a', { priority: 2 }), candidate('b', { priority: 2 }), candidate('c', { priority: 2 })];
    await clock.pass(300_000);
    expect(leaders(a, b, c)).toHaveLength(1);
    expect(spec()?.leaseTransitions).toBe(0);
    const annotations = leases.writes.map(({ metadata }) => JSON.stringify(metadata.annotations));
    expect(new Set(annotations).size).toBe(1);
  });

  test('a term lasts for a lease duration at least', async () => {
    const a = candidate('a', { priority: 1, work: () => new Promise<void>(() => undefined) });
    await settle();
    candidate('b', { priority: 2 });
    await clock.pass(13_999);
    expect(a.term().ending.aborted).toBe(false);
    await clock.pass(3_000);
    expect(a.term().ending.aborted).toBe(true);
  });

  test('a preferred candidate that has died costs one hand-over', async () => {
    const options = { client: leases.client(), namespace: 'default', name: 'lease', identity: 'a', clock, random: () => 0, priority: 1 };
    const controller = new AbortController();
    let terms = 0;
    const loop = (async () => {
      for await (const { ending } of new LeaderElector(options).terms(controller.signal)) {
        terms++;
        await new Promise((resolve) => ending.addEventListener('abort', resolve));
      }
    })();
    await clock.pass(10_000);
    const b = candidate('b', { priority: 2 });
    await settle();
    b.abort();
    await clock.pass(200_000);
    controller.abort();
    await loop;
    expect([terms, spec()?.leaseTransitions]).toEqual([2, 1]);
  });

  test('one without a priority neither asks nor is asked', async () => {
    const a = candidate('a');
    await settle();
    const b = candidate('b', { priority: 2 });
    await clock.pass(60_000);
    expect([leaders(a, b), a.term().ending.aborted]).toEqual([['a'], false]);
    expect(leases.get('lease')?.metadata.annotations).toBeUndefined();
  });
});

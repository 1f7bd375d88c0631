import { beforeEach, expect, test } from '@jest/globals';
import { FakeClock, settle } from '../test/support/fake-clock.js';
import { MemoryObjects } from '../test/support/memory-objects.js';
import { type LeaseCandidateObject, type LeaseCandidateSpec, microTime } from '../../kube-client/src/kubernetes-objects.js';
import { LeaseCandidate } from './lease-candidate.js';
import type { LeaseCandidateClient } from '../../kube-client/src/coordination-client.js';

const MINUTE = 60_000;

let clock: FakeClock;
let candidates: MemoryObjects<LeaseCandidateSpec>;
let abort: AbortController;
let errors: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  candidates = new MemoryObjects();
  abort = new AbortController();
  errors = [];
});

function run(client: LeaseCandidateClient): Promise<void> {
  const onError = (error: unknown) => errors.push(error);
  const options = {
    client,
    namespace: 'default',
    name: 'a',
    leaseName: 'lease',
    binaryVersion: '1.2.0',
    emulationVersion: '1.1.0',
    clock,
    onError,
  };
  return new LeaseCandidate(options).run(abort.signal);
}

const spec = () => candidates.get('a')!.spec!;
const now = () => microTime(clock.wallTime());

test('the candidate is created, and renewed every five minutes', async () => {
  const done = run(candidates.client());
  await settle();
  const expected = { leaseName: 'lease', binaryVersion: '1.2.0', emulationVersion: '1.1.0', strategy: 'OldestEmulationVersion' };
  expect(spec()).toEqual({ ...expected, renewTime: now() });
  await clock.pass(5 * MINUTE - 1);
  expect(candidates.writes).toHaveLength(1);
  await clock.pass(1);
  expect(candidates.writes).toHaveLength(2);
  expect(spec().renewTime).toBe(now());
  abort.abort();
  await done;
  expect(clock.pending).toBe(0);
});

test('without a watch, a ping is answered once, within two seconds', async () => {
  void run(candidates.client());
  await settle();
  await clock.pass(10_000);
  candidates.patch('a', { pingTime: now() });
  await clock.pass(2_000);
  expect(spec().renewTime! >= spec().pingTime!).toBe(true);
  const writes = candidates.writes.length;
  await clock.pass(MINUTE);
  expect(candidates.writes).toHaveLength(writes);
  abort.abort();
});

test('a ping from a clock ahead of ours is answered only once', async () => {
  void run(candidates.client());
  await settle();
  candidates.patch('a', { pingTime: '2099-01-01T00:00:00.000000Z' });
  await clock.pass(MINUTE);
  expect(spec().renewTime).toBe(spec().pingTime);
  expect(candidates.writes).toHaveLength(3);
  abort.abort();
});

test('with a watch, a ping is answered at once', async () => {
  let announce: (object: LeaseCandidateObject) => void = () => undefined;
  const client = Object.assign(candidates.client(), {
    async *watch() {
      yield await new Promise<LeaseCandidateObject>((resolve) => (announce = resolve));
    },
  });
  void run(client);
  await settle();
  candidates.patch('a', { pingTime: microTime(new Date(clock.wallTime().getTime() + 1)) });
  announce(candidates.get('a')!);
  await settle();
  expect(spec().renewTime).toBe(spec().pingTime);
  abort.abort();
});

test('a ping that a dead watch misses is found within half a minute', async () => {
  const client = Object.assign(candidates.client(), {
    async *watch(_namespace: string, _name: string, _version: string, signal: AbortSignal): AsyncGenerator<LeaseCandidateObject> {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      yield candidates.get('a')!;
    },
  });
  void run(client);
  await settle();
  await clock.pass(1_000);
  candidates.patch('a', { pingTime: now() });
  await clock.pass(30_000);
  expect(spec().renewTime! >= spec().pingTime!).toBe(true);
  await clock.pass(MINUTE);
  expect(candidates.writes).toHaveLength(3);
  expect(errors).toEqual([]);
  abort.abort();
});

test('a deleted candidate is created again', async () => {
  void run(candidates.client());
  await settle();
  candidates.delete('a');
  await clock.pass(2_000);
  expect(spec().renewTime).toBe(now());
  abort.abort();
});

test("another client's change is kept, and failures are retried with growing delays", async () => {
  const client = candidates.client();
  void run(client);
  await settle();
  client.network = 'down';
  await clock.pass(MINUTE);
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.length).toBeLessThan(20);
  candidates.put({ ...candidates.get('a')!, metadata: { name: 'a', labels: { by: 'kubectl' } } });
  client.network = 'up';
  await clock.pass(10_000);
  expect(spec().renewTime! > microTime(new Date(clock.wallTime().getTime() - 10_000))).toBe(true);
  expect(candidates.get('a')?.metadata.labels).toEqual({ by: 'kubectl' });
  abort.abort();
});

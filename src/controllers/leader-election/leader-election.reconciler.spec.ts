import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { decoded, DELETE, LIST, patch, RegistryFixture, WRITE } from '../../../test/support/registry-fixture.js';
import { ZERO_MICRO_TIME, microTime } from '../../apimachinery/go/go-time.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { Lease, LeaseSpec } from '../../apis/coordination/lease/lease.schema.js';
import { leaseV1 } from '../../apis/coordination/lease/lease.resource.js';
import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import { leaseCandidateV1alpha1, leaseCandidateV1beta1 } from '../../apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';
import { LeaderElectionReconciler } from './leader-election.reconciler.js';
import { LeaseCandidateGcReconciler } from './lease-candidate-gc.reconciler.js';

const OLDEST = 'OldestEmulationVersion';
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

/** The registry with a running controller; its clock moves with its scheduler. */
class Election extends RegistryFixture {
  readonly log: string[] = [];

  async start(): Promise<this> {
    await this.withNamespace();
    const logger = pino({ level: 'warn' }, { write: (line: string) => void this.log.push(line) });
    const { leases, leaseCandidates: candidates, scheduler } = this;
    const controller = new LeaderElectionReconciler({ leases, candidates, scheduler, logger, now: () => this.nowMs });
    running.push(controller);
    await controller.start();
    return this;
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1000;
      await this.scheduler.pass(1000);
    }
    await this.scheduler.pass(0);
  }

  at(seconds: number): string {
    return microTime(this.nowMs + seconds * 1000);
  }

  async stand(name: string, spec: object, version: ResourceVersionDefinition = leaseCandidateV1beta1): Promise<void> {
    const strategy = version === leaseCandidateV1alpha1 ? {} : { strategy: OLDEST };
    const full = { leaseName: 'lock', binaryVersion: '1.36.0', emulationVersion: '1.36.0', renewTime: this.at(0), ...strategy, ...spec };
    const candidate: LeaseCandidate = { metadata: { name }, spec: full };
    await this.leaseCandidates.create(this.context, { version, namespace: 'ns', name: '' }, candidate, WRITE);
    await this.scheduler.pass(0);
  }

  async change(name: string, spec: object): Promise<void> {
    const target = { version: leaseCandidateV1beta1, namespace: 'ns', name };
    await this.leaseCandidates.update(
      this.context,
      target,
      patch((live) => ({ ...live, spec: { ...(live as LeaseCandidate).spec, ...spec } })),
      WRITE,
    );
    await this.scheduler.pass(0);
  }

  async candidate(name: string): Promise<LeaseCandidate> {
    return decoded<LeaseCandidate>(
      await this.leaseCandidates.get({ version: leaseCandidateV1beta1, namespace: 'ns', name }, { resourceVersion: '' }),
    );
  }

  async lock(): Promise<LeaseSpec | undefined> {
    const page = await this.leases.list({ version: leaseV1, namespace: 'ns', name: '' }, LIST);
    return page.objects.map((object) => decoded<Lease>(object).spec)[0];
  }
}

describe('the leader election controller', () => {
  it('creates a lease for the first candidate, and tells its holder of a better one', async () => {
    const election = await new Election().start();
    await election.stand('new', {});
    expect(await election.lock()).toEqual({ holderIdentity: 'new', leaseDurationSeconds: 5, renewTime: election.at(0), strategy: OLDEST });
    await election.stand('old', { emulationVersion: '1.35.0' });
    expect(await election.lock()).toMatchObject({ holderIdentity: 'new', preferredHolder: 'old' });
  });

  it("writes as the API server's field manager", async () => {
    const election = await new Election().start();
    await election.stand('a', { renewTime: election.at(-60) });
    const managers = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ manager }) => manager);
    expect(managers(await election.candidate('a'))).toEqual(['kube-apiserver', 'tester']);
    await election.change('a', { renewTime: election.at(0) });
    expect(managers(await election.getLease('lock'))).toEqual(['kube-apiserver']);
  });

  it('gives an expired lease to the better candidate without a write of anybody', async () => {
    const election = await new Election().start();
    await election.stand('new', {});
    await election.stand('old', { emulationVersion: '1.35.0', renewTime: election.at(60) });
    await election.pass(11);
    expect(await election.lock()).toMatchObject({ holderIdentity: 'old' });
    expect(await election.lock()).not.toHaveProperty('preferredHolder');
  });

  it('pings a candidate that was silent once, and elects it when it responds', async () => {
    const election = await new Election().start();
    await election.stand('a', { renewTime: election.at(-60) });
    const { spec } = await election.candidate('a');
    expect(spec?.pingTime).toBe(election.at(0));
    await election.pass(12);
    expect((await election.candidate('a')).spec).toEqual(spec);
    expect(await election.lock()).toBeUndefined();
    await election.change('a', { renewTime: election.at(0) });
    expect(await election.lock()).toMatchObject({ holderIdentity: 'a' });
  });

  it.each<[string, object]>([
    ['no spec', {}],
    ['no holder', { spec: { renewTime: '2026-01-01T00:00:00.000000Z', leaseDurationSeconds: 1 } }],
    ['an empty holder', { spec: { holderIdentity: '' } }],
    [
      'times of the year 1',
      { spec: { holderIdentity: 'x', leaseDurationSeconds: 1, renewTime: ZERO_MICRO_TIME, acquireTime: ZERO_MICRO_TIME } },
    ],
  ])('takes a lease with %s', async (_name, lease) => {
    const election = await new Election().start();
    await election.createLease({ metadata: { name: 'lock' }, ...lease });
    await election.stand('a', {});
    expect(await election.lock()).toMatchObject({ holderIdentity: 'a', strategy: OLDEST });
    expect(election.log).toEqual([]);
  });

  it('treats a candidate with times in the year 1 as one that was never renewed', async () => {
    const election = await new Election().start();
    await election.stand('nobody', { renewTime: ZERO_MICRO_TIME });
    await election.stand('a', { pingTime: ZERO_MICRO_TIME, emulationVersion: '1.36.0' });
    expect(await election.lock()).toMatchObject({ holderIdentity: 'a' });
    expect(election.log).toEqual([]);
  });

  it('pings a v1alpha1 candidate without a strategy too, and logs each problem once', async () => {
    const election = await new Election().start();
    await election.stand('a', { renewTime: election.at(-60) }, leaseCandidateV1alpha1);
    expect((await election.candidate('a')).spec?.pingTime).toBe(election.at(0));
    await election.change('a', { renewTime: election.at(1), strategy: 'x/y' });
    expect(await election.lock()).toMatchObject({ strategy: 'x/y' });
    await election.stand('b', { leaseName: 'Not A Name' });
    await election.pass(20);
    expect(election.log.filter((line) => line.includes('Not A Name'))).not.toHaveLength(0);
    expect(new Set(election.log).size).toBe(election.log.length);
  });

  it('merges the strategies that v1alpha1 candidates list', async () => {
    const election = await new Election().start();
    await election.stand('a', { preferredStrategies: ['x/first', OLDEST], renewTime: election.at(60) }, leaseCandidateV1alpha1);
    expect(await election.lock()).toMatchObject({ strategy: 'x/first' });
    expect(await election.lock()).not.toHaveProperty('holderIdentity');
    await election.stand('b', { preferredStrategies: [OLDEST, 'x/first'], renewTime: election.at(60) }, leaseCandidateV1alpha1);
    expect(election.log.join()).toContain('form a cycle');
    expect(await election.lock()).toMatchObject({ strategy: 'x/first' });
  });

  it('recreates a deleted lease', async () => {
    const election = await new Election().start();
    await election.stand('a', {});
    await election.deleteLease('lock', DELETE);
    await election.scheduler.pass(0);
    expect(await election.lock()).toMatchObject({ holderIdentity: 'a' });
  });
});

it('candidates not renewed for half an hour are deleted at the start, and then every half hour', async () => {
  const election = await new Election().withNamespace();
  await election.stand('fresh', { renewTime: election.at(1) });
  await election.stand('never', { renewTime: undefined });
  await election.stand('stale', { renewTime: election.at(-1801) });
  const { leaseCandidates: candidates, scheduler } = election;
  const controller = new LeaseCandidateGcReconciler({ candidates, scheduler, logger: pino({ enabled: false }), now: () => election.nowMs });
  running.push(controller);
  const left = async () =>
    (await candidates.list({ version: leaseCandidateV1beta1, namespace: 'ns', name: '' }, LIST)).objects.map(({ key }) => key.name);
  await controller.start();
  await scheduler.pass(0);
  expect(await left()).toEqual(['fresh']);
  election.nowMs += 1802_000;
  await scheduler.pass(1800_000);
  expect(await left()).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { microTime } from '../../apimachinery/go/go-time.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { StartError } from '../../settings/start-error.js';
import { CommandError } from '../output/command-error.js';
import type { Handover } from './cluster-access.js';
import { GivebackRun } from './giveback-run.js';
import { type HandedLease, type HandedLeases, isHeld, leasePath, listLeases } from './handed-lease.js';
import { copyLeases, sameContent } from './lease-copier.js';
import { type Freeze, LeaseFreeze } from './lease-freeze.js';

/** Attempts at a freeze that is long enough for the last copy and the switch. */
const ATTEMPTS = 3;
/** The switch must be sent this long before the freeze ends by itself: clocks differ, and kube-apiserver needs time to follow. */
const MARGIN_MS = 3000;
/** An instance of kube-apiserver that has not followed the switch goes on refusing writes for this long. */
const FOLLOW_MS = 60_000;
const AVAILABLE_MS = 60_000;
const POLL_MS = 200;

/**
 * Moves the leases of a cluster to the server (docs/decisions/0030). The state is the cluster's: who serves leases, the phase in the APIService
 * and the freeze. So a run that was killed at any step is continued by the next one.
 */
export class TakeoverRun {
  readonly #handover: Handover;
  readonly #freeze: LeaseFreeze;

  constructor(handover: Handover) {
    this.#handover = handover;
    this.#freeze = new LeaseFreeze(handover.cluster.client);
  }

  /** Copies and switches; the leases are kube-apiserver's before. */
  async takeOver(): Promise<void> {
    const { newRevisions, step } = this.#handover;
    step('new revisions: the server continues above the clock');
    await newRevisions();
    step('copy: all leases, while they are still written in the cluster');
    await this.#copy('all');
    await this.#copy('elections');
    for (let attempt = 1; ; attempt++) {
      if (await this.#switch()) return;
      if (attempt === ATTEMPTS) {
        throw new CommandError('the switch did not fit into the freeze: nothing has changed; try again, or with a longer --freeze');
      }
    }
  }

  /** Everything after the switch, which a second run may repeat. Rolls back if the server does not serve by the deadline. */
  async complete(elections: readonly string[]): Promise<void> {
    const { cluster, deadlineMs, step } = this.#handover;
    step('verify: every kube-apiserver has leases served by the server');
    if (!(await cluster.isServedBy('server', Date.now() + deadlineMs))) {
      const { message } = (await cluster.route()) ?? { message: '' };
      step('rollback: the server does not serve leases in time');
      await this.#rollBack();
      throw new CommandError(`the server did not serve leases within ${deadlineMs} ms: rolled back (${message})`);
    }
    step('unfreeze: remove the admission policy');
    await this.#freeze.end();
    for (const election of elections) {
      step(`step down: the leader of ${election} begins again with new watches`);
      await stepDown(this.#handover.server, election, Date.now);
    }
    step('available: wait for the condition of the APIService');
    await this.#available();
    await cluster.markComplete();
  }

  /** With the leases of the server, or, if it cannot be read, once they must have expired. */
  async #rollBack(): Promise<void> {
    const giveback = new GivebackRun(this.#handover);
    try {
      await giveback.giveBack();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#handover.step(`rollback without a copy: ${error.message}`);
      await giveback.giveBackWithoutCopy();
    }
  }

  async #copy(which: 'all' | 'elections'): Promise<HandedLeases> {
    const { cluster, server } = this.#handover;
    const [wanted, present] = await Promise.all([listLeases(cluster.client, which), listLeases(server, which)]);
    await copyLeases(server, wanted.leases, present.leases);
    return wanted;
  }

  /** False if there was not enough time; nothing has changed then. */
  async #switch(): Promise<boolean> {
    const { cluster, service, caBundle, freezeMs, step } = this.#handover;
    const route = await cluster.route();
    if (!route) throw new CommandError('the APIService v1.coordination.k8s.io is gone');
    const until = Date.now() + freezeMs;
    const inTime = () => Date.now() < until - MARGIN_MS;
    const freeze: Freeze = { direction: 'takeover', id: randomUUID(), until: new Date(until).toISOString() };
    step(`freeze: kube-apiserver refuses writes of elections until ${freeze.until}`);
    try {
      await this.#freeze.set(freeze);
      if ((await this.#freeze.holdsAt(cluster.instances, freeze, until - MARGIN_MS)) && (await this.#copyUntilEqual(inTime))) {
        step('switch: the APIService names the server');
        if (inTime()) {
          await cluster.routeTo(service, caBundle, route);
          if (Date.now() < until) {
            await this.#freeze.set({ ...freeze, until: new Date(Date.now() + FOLLOW_MS).toISOString() });
            return true;
          }
          await this.#tooLate();
        }
      }
    } catch (error) {
      await this.#thaw();
      throw error;
    }
    await this.#freeze.end();
    return false;
  }

  /** Copies elections until the server has what the frozen cluster has; false if that is not so in time. */
  async #copyUntilEqual(inTime: () => boolean): Promise<boolean> {
    const { cluster, server, step } = this.#handover;
    step('copy: what changed since');
    while (inTime()) {
      await this.#copy('elections');
      const [wanted, present] = await Promise.all([listLeases(cluster.client, 'elections'), listLeases(server, 'elections')]);
      if (isEqual(wanted.leases, present.leases)) return true;
    }
    return false;
  }

  /** The freeze ended before the switch was answered, so etcd may have writes that the server has not: the cluster's leases win. */
  async #tooLate(): Promise<void> {
    const { cluster, step } = this.#handover;
    step('back: the switch was answered after the end of the freeze');
    const route = await cluster.route();
    if (route) await cluster.routeBack(route);
  }

  /** After an error before the switch; if it was the switch whose answer is missing, the next run sees what became of it. */
  async #thaw(): Promise<void> {
    const route = await this.#handover.cluster.route();
    if (route && !route.service) await this.#freeze.end();
  }

  async #available(): Promise<void> {
    const deadline = Date.now() + AVAILABLE_MS;
    for (;;) {
      const route = await this.#handover.cluster.route();
      if (route?.available === true) return;
      if (Date.now() > deadline) throw new CommandError(`the APIService is not available: ${route?.message ?? 'it is gone'}; run giveback`);
      await sleep(POLL_MS);
    }
  }
}

function isEqual(wanted: ReadonlyMap<string, HandedLease>, present: ReadonlyMap<string, HandedLease>): boolean {
  if (wanted.size !== present.size) return false;
  return [...wanted].every(([key, lease]) => {
    const there = present.get(key);
    return there !== undefined && sameContent(lease, there);
  });
}

const MAX_TRIES = 20;
/** Longer than the time within which a leader gives up (client-go's default: 10 s), or it would take the lease back. */
const DURATION_SECONDS = 15;
const HOLDER = 'coordination-apiserver-takeover';

/**
 * Makes the leader of an election end, so that its successor begins with new watches. False if nobody leads. A watch that kube-apiserver
 * opened before the takeover stays open and shows the leases of etcd, which no longer change: kube-controller-manager would consider every
 * node dead.
 */
async function stepDown(server: KubeClient, election: string, now: () => number): Promise<boolean> {
  const [namespace = '', name = ''] = election.split('/');
  const path = leasePath({ metadata: { namespace, name } });
  for (let tries = 1; ; tries++) {
    const answer = await server.ask('GET', path);
    if (answer.status === 404) return false;
    if (answer.status !== 200) throw refusal(`cannot read the lease ${election}`, answer);
    const lease = answer.body as HandedLease;
    if (lease.spec?.holderIdentity === HOLDER || !isHeld(lease, now())) return lease.spec?.holderIdentity === HOLDER;
    const spec = takenOver(lease, now());
    const written = await server.ask('PUT', path, { ...lease, spec });
    if (written.status === 200) return true;
    if (written.status !== 409 || tries === MAX_TRIES) throw refusal(`cannot write the lease ${election}`, written);
  }
}

function takenOver({ spec }: HandedLease, nowMs: number): HandedLease['spec'] {
  const time = microTime(nowMs);
  return {
    ...spec,
    holderIdentity: HOLDER,
    leaseDurationSeconds: DURATION_SECONDS,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: (spec?.leaseTransitions ?? 0) + 1,
  };
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../output/command-error.js';
import { StartError } from '../../settings/start-error.js';
import { GivebackRun } from './giveback-run.js';
import { type HandedLease, type HandedLeases, listLeases } from './handed-lease.js';
import type { Handover } from './handover.js';
import { copyLeases } from './lease-copier.js';
import { sameContent } from './lease-content.js';
import { type Freeze, LeaseFreeze } from './lease-freeze.js';
import { stepDown } from './step-down.js';

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

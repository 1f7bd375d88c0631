import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../output/command-error.js';
import { type HandedLease, type HandedLeases, isHeld, keyOf, listLeases, NODE_LEASES, renewedAt, revisionOf } from './handed-lease.js';
import type { Handover, LeaseRoute } from './cluster-access.js';
import { copyLeases } from './lease-copier.js';
import { type Freeze, LeaseFreeze, ownUserName } from './lease-freeze.js';

/** Time for the freeze to reach every kube-apiserver and for the switch. */
const PREPARE_MS = 10_000;
const FREEZE_HOLDS_MS = 8000;
const SHORTEST_LEASE_MS = 15_000;
const LONGEST_LEASE_MS = 120_000;
/** Assumed where the server cannot be asked. */
const UNKNOWN_LEASE_MS = 60_000;
/** Requests that kube-apiserver had passed to the server before the switch. */
const IN_FLIGHT_MS = 1000;
const MAX_ROUNDS = 20;

/**
 * Moves leases back into etcd (docs/decisions/0030). etcd has them as they were at the takeover, so kube-apiserver refuses every write of
 * an election until its lease has been copied. If a run is killed, that ends once all leases of the server must have expired.
 */
export class GivebackRun {
  readonly #handover: Handover;
  readonly #freeze: LeaseFreeze;

  constructor(handover: Handover) {
    this.#handover = handover;
    this.#freeze = new LeaseFreeze(handover.cluster.client);
  }

  /** Starts, or continues a run that was killed. */
  async giveBack(): Promise<void> {
    const { cluster, server, newRevisions, step } = this.#handover;
    const before = await listLeases(server, 'elections');
    const freeze = await this.#begin(longestHeld(before), await ownUserName(cluster.client));
    await this.#switch();
    await sleep(IN_FLIGHT_MS);
    const stale = await this.#lastStale(freeze);
    step('copy: elections first');
    await this.#copy('elections', stale);
    step('new revisions: the watches of the server end with 410');
    await newRevisions();
    step('copy: the heartbeats of nodes');
    await this.#copyUntilStill(stale);
    if (!(await cluster.isServedBy('cluster', Date.now() + FREEZE_HOLDS_MS))) {
      throw new CommandError('kube-apiserver does not serve leases');
    }
    step('unfreeze: remove the admission policy');
    await this.#freeze.end();
  }

  /** Without the leases of a server that cannot be asked: nobody gets a lease of etcd before those of the server have expired. */
  async giveBackWithoutCopy(): Promise<void> {
    const { step } = this.#handover;
    const freeze = await this.#begin(UNKNOWN_LEASE_MS);
    await this.#switch();
    step(`wait: until ${freeze.until}, when every lease of the server has expired`);
    await sleep(Math.max(0, Date.parse(freeze.until) - Date.now()));
    step('unfreeze: remove the admission policy');
    await this.#freeze.end();
  }

  /** `exempt`: the user who copies. */
  async #begin(longestLeaseMs: number, exempt?: string): Promise<Freeze> {
    const { cluster, step } = this.#handover;
    const known = await this.#freeze.read();
    if (known?.direction === 'giveback' && known.copiedAbove !== undefined) {
      step('continue: a giveback was interrupted while it copied');
      return known;
    }
    const until = new Date(Date.now() + PREPARE_MS + longestLeaseMs).toISOString();
    const freeze: Freeze = { direction: 'giveback', id: randomUUID(), until, exempt };
    step(`freeze: kube-apiserver refuses writes of elections that are not copied yet, until ${until}`);
    await this.#freeze.set(freeze);
    if (await this.#freeze.holdsAt(cluster.instances, freeze, Date.now() + FREEZE_HOLDS_MS)) return freeze;
    const route = await cluster.route();
    if (route?.service) await this.#freeze.end();
    throw new CommandError('the freeze does not reach every kube-apiserver: leases stay where they are');
  }

  async #switch(): Promise<void> {
    const { cluster, deadlineMs, step } = this.#handover;
    const route = await cluster.route();
    if (!route) throw new CommandError('the APIService v1.coordination.k8s.io is gone');
    if (route.service) {
      step('switch: the APIService names kube-apiserver');
      await cluster.routeBack(route);
    }
    if (await cluster.isServedBy('cluster', Date.now() + deadlineMs)) return;
    step('rollback: kube-apiserver does not serve leases; is it started with --runtime-config=coordination.k8s.io/v1=false?');
    const now = await cluster.route();
    if (now && !now.service) await this.#routeAsBefore(route, now);
    await this.#freeze.end();
    throw new CommandError('kube-apiserver does not serve leases itself: enable coordination.k8s.io/v1 again first; the server keeps them');
  }

  /** Where it went before, or, for a run that continues after the switch, where the flags say. */
  async #routeAsBefore(before: LeaseRoute, now: LeaseRoute): Promise<void> {
    const { cluster } = this.#handover;
    const { service, caBundle } = before.service ? before : this.#handover;
    if (!service || caBundle === '') throw new CommandError('it is not known where the server is: run takeover beside it');
    await cluster.routeTo(service, caBundle, now);
  }

  /** The last version of a lease in etcd that is older than the server's. Leases above it may be written again. */
  async #lastStale(freeze: Freeze): Promise<bigint> {
    if (freeze.copiedAbove !== undefined) return BigInt(freeze.copiedAbove);
    const { revision } = await listLeases(this.#handover.cluster.client, 'elections');
    await this.#freeze.set({ ...freeze, copiedAbove: String(revision) });
    return revision;
  }

  async #copy(which: 'all' | 'elections', stale: bigint): Promise<HandedLeases> {
    const { cluster, server } = this.#handover;
    const [wanted, present] = await Promise.all([listLeases(server, which), listLeases(cluster.client, which)]);
    const mayReplace = (there: HandedLease, source: HandedLease | undefined): boolean =>
      revisionOf(there) <= stale && (source === undefined || renewedAt(source) >= renewedAt(there));
    await copyLeases(cluster.client, wanted.leases, present.leases, mayReplace);
    return wanted;
  }

  /** Copies again while the server still has writes: of requests in flight, or of clients that reach it directly. */
  async #copyUntilStill(stale: bigint): Promise<void> {
    let last = await this.#copy('all', stale);
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const now = await listLeases(this.#handover.server, 'all');
      const changed = [...now.leases.values()].filter((lease) => isChanged(lease, last.leases.get(keyOf(lease))));
      if (changed.length === 0) return;
      this.#handover.step(`copy: ${changed.length} changed on the server since, as ${changed.slice(0, 3).map(keyOf).join(', ')}`);
      last = await this.#copy('all', stale);
    }
    throw new CommandError('leases are still written on the server: move its direct clients to the cluster, then run giveback again');
  }
}

function isChanged(lease: HandedLease, before: HandedLease | undefined): boolean {
  return before === undefined || revisionOf(lease) !== revisionOf(before);
}

function longestHeld({ leases }: HandedLeases): number {
  const now = Date.now();
  const held = [...leases.values()].filter(
    (lease) => isHeld(lease, now) && lease.metadata?.namespace !== NODE_LEASES && !isIdentity(lease),
  );
  const longest = Math.max(SHORTEST_LEASE_MS, ...held.map(({ spec }) => (spec?.leaseDurationSeconds ?? 0) * 1000));
  return Math.min(longest, LONGEST_LEASE_MS);
}

/** Identity leases of an hour elect nobody. */
function isIdentity({ metadata }: HandedLease): boolean {
  return metadata?.labels?.['apiserver.kubernetes.io/identity'] !== undefined;
}

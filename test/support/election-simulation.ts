import type { LeaseSpec } from '../../src/apis/coordination/lease/lease.schema.js';
import {
  type Candidate,
  candidateOf,
  changedLease,
  electionStep,
  isCandidateExpired,
  newLease,
} from '../../src/controllers/leader-election/election.js';
import { fromMicros, microsOf } from '../../src/apimachinery/go/go-time.js';

const SECOND = 1_000_000;
const START = Date.parse('2026-01-01T00:00:00Z') * 1000;
const LEASE_SECONDS = 15;
const RENEW_DEADLINE = 10;
const RECONCILE = 5;

/** A candidate that becomes the leader once it holds the lease, as in client-go's coordinated mode. */
interface Member {
  candidate: Candidate;
  /** Until then it does nothing at all; in true seconds. */
  stalledUntil: number;
  /** The true second of its last successful renewal as holder. */
  renewedAt: number | undefined;
  /** The lease as last seen, and when it was first seen in that state. */
  seen: { revision: number; at: number };
  pings: number[];
}

/**
 * Candidates, their lease and the election, second by second of true time, without I/O. Programs measure durations with monotonic clocks;
 * wall clocks, the server's and theirs, may jump.
 */
export class ElectionSimulation {
  readonly members = new Map<string, Member>();
  lease: LeaseSpec | undefined;
  #revision = 0;
  /** Seconds of true time since the start. */
  time = 0;
  /** The wall clock's error in seconds. */
  skew = 0;
  lastForwardJump = -Infinity;
  readonly violations: string[] = [];
  #nextName = 0;
  #due = 0;

  constructor(readonly random: () => number) {}

  join(): void {
    const name = `m${this.#nextName++}`;
    const minor = 34 + Math.floor(this.random() * 3);
    const object = {
      metadata: { name, creationTimestamp: fromMicros(this.#wall()) },
      spec: {
        leaseName: 'lease',
        binaryVersion: '1.36.0',
        emulationVersion: `1.${minor}.0`,
        strategy: 'OldestEmulationVersion',
        renewTime: fromMicros(this.#wall()),
      },
    };
    const member = {
      candidate: candidateOf(object),
      stalledUntil: 0,
      renewedAt: undefined,
      seen: { revision: -1, at: this.time },
      pings: [],
    };
    this.members.set(name, member);
    this.#due = 0;
  }

  leave(): void {
    const name = this.#any();
    if (name !== undefined) this.members.delete(name);
    this.#due = 0;
  }

  stall(seconds: number): void {
    const member = this.members.get(this.#any() ?? '');
    if (member) member.stalledUntil = Math.max(member.stalledUntil, this.time + seconds);
  }

  /** Removes one member and leaves its candidate behind. */
  die(): void {
    const member = this.members.get(this.#any() ?? '');
    if (member) member.stalledUntil = Infinity;
  }

  jump(seconds: number): void {
    this.skew += seconds;
    if (seconds > 0) this.lastForwardJump = this.time;
  }

  /** One second: every member that can act does so, in random order, and the controller when it is due. */
  tick(): void {
    this.time++;
    for (const [name, member] of this.#shuffled()) if (member.stalledUntil <= this.time) this.#act(name, member);
    if (this.time >= this.#due) this.#reconcile();
    this.#check();
  }

  /** The members that believe they are leader. */
  leaders(): string[] {
    return [...this.members]
      .filter(
        ([, { renewedAt, stalledUntil }]) => renewedAt !== undefined && stalledUntil <= this.time && this.time - renewedAt < RENEW_DEADLINE,
      )
      .map(([name]) => name);
  }

  /** Whether there is exactly one leader, and no living member has an older emulation version. */
  isSettled(): boolean {
    const [leader, ...others] = this.leaders();
    if (leader === undefined || others.length > 0) return false;
    const living = [...this.members.values()].filter(({ stalledUntil }) => stalledUntil !== Infinity);
    const minor = (name: string) => this.members.get(name)?.candidate.emulationVersion?.minor ?? 0n;
    return living.every(({ candidate }) => minor(candidate.name) >= minor(leader));
  }

  /** The members pinged since this second. */
  askedSince(time: number): string[] {
    return [...this.members].filter(([, { pings }]) => (pings.at(-1) ?? -1) > time).map(([name]) => name);
  }

  get isEmpty(): boolean {
    return [...this.members.values()].every(({ stalledUntil }) => stalledUntil === Infinity);
  }

  #wall(): number {
    return START + (this.time + this.skew) * SECOND;
  }

  #act(name: string, member: Member): void {
    const { pingTime, renewTime = 0 } = member.candidate;
    const ensures = this.time % 300 === 0;
    if (ensures || (pingTime !== undefined && pingTime > renewTime)) {
      // Replies take a moment, now and then more than a second.
      if (this.random() < 0.7) this.#update(member, { renewTime: Math.max(this.#wall(), renewTime) });
    }
    if (member.renewedAt !== undefined && this.time - member.renewedAt >= RENEW_DEADLINE) this.#startOver(member);
    this.#renew(name, member);
  }

  /** A member that has lost the lease restarts, as client-go's users do: it forgets everything it saw. */
  #startOver(member: Member): void {
    member.renewedAt = undefined;
    member.seen = { revision: -1, at: this.time };
  }

  #renew(name: string, member: Member): void {
    const { lease } = this;
    if (member.seen.revision !== this.#revision) member.seen = { revision: this.#revision, at: this.time };
    if (!lease || lease.holderIdentity !== name || lease.preferredHolder) return;
    if (this.time - member.seen.at > (lease.leaseDurationSeconds ?? 0)) {
      if (member.renewedAt === undefined) this.#startOver(member);
      return;
    }
    if (this.random() < 0.1) return;
    this.#write({ ...lease, leaseDurationSeconds: LEASE_SECONDS, renewTime: fromMicros(this.#wall()) });
    member.renewedAt = this.time;
    member.seen = { revision: this.#revision, at: this.time };
  }

  #reconcile(): void {
    const now = this.#wall();
    for (const [name, { candidate }] of this.members) if (isCandidateExpired(candidate, now)) this.#comeBack(name);
    const candidates = [...this.members.values()].map(({ candidate }) => candidate).sort((a, b) => (a.name < b.name ? -1 : 1));
    const step = electionStep(candidates, this.lease, now);
    if (step.kind === 'ping') for (const { name } of step.candidates) this.#ping(name, now);
    if (step.kind === 'elect') {
      const next = this.lease ? changedLease(this.lease, step.election, now) : newLease(step.election, now);
      if (next) this.#write(next);
    }
    this.#due = this.time + RECONCILE;
  }

  #write(lease: LeaseSpec): void {
    this.lease = lease;
    this.#revision++;
  }

  /** A member whose candidate was deleted while it was stalled creates it again. */
  #comeBack(name: string): void {
    const member = this.members.get(name);
    if (member && member.stalledUntil <= this.time) this.#update(member, { renewTime: this.#wall(), pingTime: undefined });
  }

  #ping(name: string, now: number): void {
    const member = this.members.get(name);
    if (!member) return;
    const { pingTime, renewTime = 0 } = member.candidate;
    if (pingTime !== undefined && renewTime < pingTime) this.violations.push(`${name} is asked again before it answered, at ${this.time}`);
    member.pings.push(this.time);
    member.candidate = { ...member.candidate, pingTime: now };
  }

  #update(member: Member, change: Partial<Candidate>): void {
    member.candidate = { ...member.candidate, ...change };
    this.#due = Math.min(this.#due, this.time);
  }

  #check(): void {
    const leaders = this.leaders();
    // A wall clock that jumps ahead makes leases expire early, which no participant can detect.
    const clockIsSound = this.time - this.lastForwardJump > LEASE_SECONDS + RECONCILE;
    if (clockIsSound && leaders.length > 1) this.violations.push(`${leaders.join(' and ')} lead at ${this.time}`);
    for (const [name, { pings }] of this.members) {
      const [last, previous] = [pings.at(-1), pings.at(-2)];
      if (last === this.time && previous !== undefined && last - previous < RECONCILE && this.time - this.lastForwardJump > RECONCILE) {
        this.violations.push(`${name} is asked at ${previous} and at ${last}`);
      }
    }
    const renewed = microsOf(this.lease?.renewTime);
    if (this.lease && (renewed === undefined || !this.lease.holderIdentity)) this.violations.push(`a lease without holder at ${this.time}`);
  }

  #any(): string | undefined {
    return [...this.members.keys()][Math.floor(this.random() * this.members.size)];
  }

  #shuffled(): [string, Member][] {
    return [...this.members]
      .map((entry) => ({ entry, rank: this.random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ entry }) => entry);
  }
}

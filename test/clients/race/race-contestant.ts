import type { TcpLink } from '../../support/tcp-link.js';
import { Contestant } from './contestant.js';
import type { Kind, Launch } from './kinds.js';

/** The programs of client-go and fabric8 have lost the lease; the shell's did not reach its server when it started, or lost the lease. */
const ENDS: readonly unknown[] = [0, 69, 76];

export interface Place {
  readonly kind: Kind;
  readonly number: number;
  readonly lease: string;
  readonly proxy: TcpLink;
  readonly launch: Launch;
}

/** A contestant that reaches its lease through a proxy of its own. */
export class RaceContestant extends Contestant {
  readonly lease: string;
  readonly proxy: TcpLink;

  constructor({ kind, number, lease, proxy, launch }: Place) {
    super(kind, number, launch);
    this.lease = lease;
    this.proxy = proxy;
  }

  /** Starts it again if it has ended in a way that is expected of it. Any other end is an error. */
  revive(): void {
    if (this.ended === undefined || this.wasKilled) return;
    if (!ENDS.includes(this.ended)) throw new Error(`${this.identity} has ended (${this.ended}):\n${this.lines.slice(-20).join('\n')}`);
    this.start();
  }
}

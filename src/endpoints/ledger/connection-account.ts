import { type Held, HELD_NAMES } from './held.js';
import type { LimitMet } from './limit-met.js';
import type { MemoryLimits } from './memory-limits.js';

/** Memory held for all connections of one user or remote address. */
export class OwnerAccount<Connection> {
  total = 0;
  streams = 0;
  readonly connections = new Set<Connection>();

  constructor(readonly name: string) {}
}

/** What an account needs of its ledger. */
export interface Ledger {
  readonly limits: MemoryLimits;
  readonly held: number[];
  total: number;
  streams: number;
  count(limit: LimitMet): void;
  /** Returns the owner with that name, which exists while it has connections. */
  owner(name: string): OwnerAccount<ConnectionAccount>;
  forgetOwner(name: string): void;
  forget(account: ConnectionAccount): void;
  /** Cuts off the largest holders if a limit is exceeded. */
  makeRoom(owner: OwnerAccount<ConnectionAccount>): void;
}

export interface ConnectionAccountOptions {
  readonly ledger: Ledger;
  /** Increases with each connection. */
  readonly number: number;
  readonly remoteAddress: string;
  readonly cutOff: () => void;
}

/**
 * Memory held for one connection. Code that keeps bytes for a client charges them first and releases them afterwards. The end of the
 * connection releases everything at once; later releases are ignored.
 */
export class ConnectionAccount {
  readonly number: number;
  owner: OwnerAccount<ConnectionAccount>;
  total = 0;
  streams = 0;
  /** The connection has ended, by itself or because it was cut off. */
  closed = false;
  readonly #ledger: Ledger;
  /** How an account without a user is named. */
  readonly address: string;
  readonly #cutOff: () => void;
  readonly #held = HELD_NAMES.map(() => 0);
  /** The only user of its authenticated requests; '' before the first request, undefined after requests of several users. */
  #user: string | undefined = '';

  constructor({ ledger, number, remoteAddress, cutOff }: ConnectionAccountOptions) {
    this.number = number;
    this.#ledger = ledger;
    this.address = `address ${remoteAddress}`;
    this.#cutOff = cutOff;
    this.owner = ledger.owner(this.address);
    this.owner.connections.add(this);
  }

  /**
   * Charges bytes that are about to be held. Returns false if they must not be held, and then counts nothing; the request or the connection
   * has to end. This happens beyond the connection's limit, and after the connection has ended, which this charge itself may have caused.
   */
  charge(kind: Held, bytes: number): boolean {
    if (this.closed) return false;
    const { limits } = this.#ledger;
    if (this.total + bytes > limits.connection) {
      this.met('connection_bytes');
      return false;
    }
    this.#add(kind, bytes);
    if (this.owner.total > limits.owner || this.#ledger.total > limits.process) this.#ledger.makeRoom(this.owner);
    // makeRoom closes this connection if it is the largest holder itself.
    return !(this.closed as boolean);
  }

  /** Releases charged bytes that are no longer held. */
  release(kind: Held, bytes: number): void {
    if (!this.closed) this.#add(kind, -bytes);
  }

  /** Whether its owner holds half of its limit. */
  get isOwnerNearLimit(): boolean {
    return this.owner.total > this.#ledger.limits.owner / 2;
  }

  /** Bytes held of one kind. */
  held(kind: Held): number {
    return this.#held[kind] ?? 0;
  }

  /** Counts a request or connection that is ended because of a limit. */
  met(limit: LimitMet): void {
    this.#ledger.count(limit);
  }

  openStream(): void {
    if (!this.closed) this.#addStreams(1);
  }

  closeStream(): void {
    if (!this.closed) this.#addStreams(-1);
  }

  /**
   * Records a request of this user, impersonated or not. The connection then belongs to its user; a connection that serves several users,
   * such as a proxy's, belongs to its remote address again. Costs one comparison, except for a user's first request.
   */
  usedBy(user: string): void {
    if (user === this.#user || this.#user === undefined || this.closed) return;
    this.#user = this.#user === '' ? user : undefined;
    this.#moveTo(this.#user === undefined ? this.address : `user ${this.#user}`);
  }

  /** The connection has ended: releases everything. */
  close(): void {
    if (this.closed) return;
    for (let kind = 0; kind < HELD_NAMES.length; kind++) this.#add(kind as Held, -(this.#held[kind] ?? 0));
    this.#addStreams(-this.streams);
    this.closed = true;
    this.#leaveOwner();
    this.#ledger.forget(this);
  }

  /** Called by the ledger: ends the connection. */
  cutOff(): void {
    this.close();
    this.#cutOff();
  }

  #add(kind: Held, bytes: number): void {
    const { held } = this.#ledger;
    this.#held[kind] = (this.#held[kind] ?? 0) + bytes;
    this.total += bytes;
    this.owner.total += bytes;
    held[kind] = (held[kind] ?? 0) + bytes;
    this.#ledger.total += bytes;
  }

  #addStreams(count: number): void {
    this.streams += count;
    this.owner.streams += count;
    this.#ledger.streams += count;
  }

  #moveTo(name: string): void {
    this.#leaveOwner();
    this.owner = this.#ledger.owner(name);
    this.owner.connections.add(this);
    this.owner.total += this.total;
    this.owner.streams += this.streams;
  }

  #leaveOwner(): void {
    const { owner } = this;
    owner.connections.delete(this);
    owner.total -= this.total;
    owner.streams -= this.streams;
    if (owner.connections.size === 0) this.#ledger.forgetOwner(owner.name);
  }
}

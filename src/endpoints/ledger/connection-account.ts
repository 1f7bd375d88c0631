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

/**
 * Kinds of memory that clients make the server hold. The values are indexes of counters.
 *
 * - READS: partial frames, and request bodies until their request ends.
 * - HEADERS: header blocks, decoded headers with the fixed cost of a stream, and the HPACK tables of requests.
 * - RESPONSES: response data that waits to be sent.
 * - WATCHES: events that watches have not been sent yet.
 * - OBJECTS: what bodies and selectors become, and open watches (held-bytes.ts).
 */
export const Held = { READS: 0, HEADERS: 1, RESPONSES: 2, WATCHES: 3, OBJECTS: 4 } as const;
export type Held = (typeof Held)[keyof typeof Held];

/** Labels of the kinds in `/metrics`, by value. */
export const HELD_NAMES = ['reads', 'headers', 'responses', 'watches', 'objects'] as const;

/** Charge for a request in progress beyond its headers and body: its objects in this layer and those above. */
export const REQUEST_BYTES = 4096;

/** Charge for a header beyond its text, as in HPACK. */
const HEADER_BYTES = 32;

/** Memory charged for headers; `rawHeaders` alternates names and values. */
export function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = (rawHeaders.length / 2) * HEADER_BYTES;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/**
 * Limits that end requests or connections, by their labels in `/metrics`.
 *
 * - connection_bytes, user_bytes, process_bytes: see MemoryLimits.
 * - frames: frames that cost more than the progress they make; resets: streams reset by the client or because of its faults.
 * - headers: a header block, or the headers decoded from it.
 * - replies: replies to frames of a client that does not read them.
 * - connections, address_connections: concurrent connections, in total and from one remote address.
 * - stalled: responses or connections whose data the client does not take; silent: connections whose client does not answer pings.
 */
export const LIMITS_MET = [
  'connection_bytes',
  'user_bytes',
  'process_bytes',
  'frames',
  'resets',
  'headers',
  'replies',
  'connections',
  'address_connections',
  'stalled',
  'silent',
] as const;
export type LimitMet = (typeof LIMITS_MET)[number];

/** Limits on the bytes that clients may make the server hold. 0 means no limit. */
export interface MemoryLimits {
  /** Per connection (`--max-held-bytes-per-connection`). */
  readonly connection: number;
  /** Per user or, before authentication, per remote address, over all its connections (`--max-held-bytes-per-user`). */
  readonly owner: number;
  /** For all clients of this process (`--max-held-bytes`). */
  readonly process: number;
}

const MIB = 1024 * 1024;

/**
 * Sized for a container of 512 MiB, of which objects, watch cache and code take about half. A connection may hold five of the largest
 * bodies, or 100 streams with their first 64 KiB; no single user can bring the process to its limit.
 */
export const DEFAULT_MEMORY_LIMITS: MemoryLimits = { connection: 16 * MIB, owner: 48 * MIB, process: 96 * MIB };

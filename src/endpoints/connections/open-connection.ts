import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

export class RemoteAddress {
  count = 0;
  readonly strangers = new ArrivalOrder<OpenConnection>();

  constructor(readonly name: string) {}
}

/** The orders in which connections are listed. */
export interface ConnectionOrders {
  /** Connections without an authenticated user, by the start of their last request, or else of the connection. */
  readonly strangers: ArrivalOrder<OpenConnection>;
  /** HTTP/2 connections without a request in progress, by the end of their last request. */
  readonly idle: ArrivalOrder<OpenConnection>;
}

/** A connection, from its first packet. */
export class OpenConnection implements ConnectionUse {
  /** When its last request ended, or when it became an HTTP/2 connection, in milliseconds of `performance.now()`. */
  idleSince = 0;
  session: Http2Session | undefined;
  #address: RemoteAddress;
  #known = false;
  #requests = 0;
  readonly #orders: ConnectionOrders;
  readonly #stranger = new Place<OpenConnection>(this);
  readonly #strangerOfAddress = new Place<OpenConnection>(this);
  readonly #idle = new Place<OpenConnection>(this);

  constructor(
    readonly socket: Socket,
    address: RemoteAddress,
    orders: ConnectionOrders,
  ) {
    this.#address = address;
    this.#orders = orders;
    this.#toEndOfStrangers();
  }

  get address(): RemoteAddress {
    return this.#address;
  }

  /** For a connection without requests. */
  moveTo(address: RemoteAddress): void {
    this.#leaveStrangers();
    this.#address = address;
    this.#toEndOfStrangers();
  }

  speaksHttp2(session: Http2Session): void {
    this.session = session;
    this.#rest();
  }

  requestBegan(): void {
    this.#requests += 1;
    if (this.#requests === 1) this.#orders.idle.leave(this.#idle);
    if (!this.#known) this.#toEndOfStrangers();
  }

  requestEnded(): void {
    this.#requests -= 1;
    if (this.#requests === 0) this.#rest();
  }

  authenticated(): void {
    if (this.#known) return;
    this.#known = true;
    this.#leaveStrangers();
  }

  /** The connection has ended or is about to. */
  forget(): void {
    this.#orders.idle.leave(this.#idle);
    this.#leaveStrangers();
    this.session = undefined;
  }

  #rest(): void {
    this.idleSince = performance.now();
    if (this.session) this.#orders.idle.join(this.#idle);
  }

  #toEndOfStrangers(): void {
    this.#orders.strangers.join(this.#stranger);
    this.address.strangers.join(this.#strangerOfAddress);
  }

  #leaveStrangers(): void {
    this.#orders.strangers.leave(this.#stranger);
    this.address.strangers.leave(this.#strangerOfAddress);
  }
}

/** A member's place in one order. */
export class Place<T> {
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  /** Whether its owner is currently in the order. */
  taken = false;

  constructor(readonly owner: T) {}
}

/** Members in the order in which they joined. Joining, leaving and reading the first member take constant time. */
export class ArrivalOrder<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.owner;
  }

  /** All members, from the first. The order must not change during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place; place = place.after) yield place.owner;
  }

  /** Moves the member to the end, wherever it was. */
  join(place: Place<T>): void {
    if (this.#last === place) return;
    this.leave(place);
    place.taken = true;
    place.before = this.#last;
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size += 1;
  }

  leave(place: Place<T>): void {
    if (!place.taken) return;
    const { before, after } = place;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    place.before = place.after = undefined;
    place.taken = false;
    this.#size -= 1;
  }
}

/** Notified about the requests on a connection. No other traffic counts as use. */
interface ConnectionUse {
  requestBegan(): void;
  requestEnded(): void;
  /** A request on the connection was authenticated. */
  authenticated(): void;
}

const uses = new WeakMap<object, ConnectionUse>();

export function setUse(socket: Socket, use: ConnectionUse): void {
  uses.set(socket, use);
}

/** Returns undefined for connections that were not accepted by a server of this process. */
export function useOf(socket: Socket): ConnectionUse | undefined {
  return uses.get(socket);
}

export const HTTP2_IMPLEMENTATIONS = ['own', 'node'] as const;

/** The HTTP/2 implementation (`--http2-implementation`): `src/endpoints/http2` or node:http2. */
export type Http2Implementation = (typeof HTTP2_IMPLEMENTATIONS)[number];

/** The server's side of one HTTP/2 connection, for either implementation. */
export interface Http2Session {
  readonly socket: TLSSocket;
  /** Whether no request is in progress. */
  readonly isIdle: boolean;
  /** Tells the client to use another connection; streams already on their way are still accepted. */
  announceEnd(): void;
  /** Accepts no more streams, and ends the connection when those in progress have ended. */
  leave(): void;
}

/** The connection below that of TLS, which outlives it. Node has no public name for it. */
export function tcpSocketOf(socket: object): Socket | undefined {
  return (socket as { readonly _parent?: Socket | null })._parent ?? undefined;
}

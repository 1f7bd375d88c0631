import type { Socket } from 'node:net';
import type { Http2Session } from './http2-session.js';
import { ArrivalOrder, Place } from './arrival-order.js';
import type { ConnectionUse } from './connection-use.js';

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

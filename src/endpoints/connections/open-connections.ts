import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ArrivalOrder } from './arrival-order.js';
import { setUse } from './connection-use.js';
import type { Http2Session } from './http2-session.js';
import type { ConnectionOrders } from './open-connection.js';
import { OpenConnection, RemoteAddress } from './open-connection.js';

/** Connections whose TLS handshake is under way; beyond that, whoever has taken longest has to go. */
const MAX_HANDSHAKES = 1000;
/** An HTTP/2 connection without requests is closed after this, as one of HTTP/1.1. */
const IDLE_MS = 90_000;
const SWEEP_MS = 1000;
/** Between the news that a connection is about to end and its end (Go: http2 goAwayTimeout). */
const GOAWAY_MS = 1000;

export interface OpenConnectionsOptions {
  /** At a time; 0 is no limit. */
  readonly maxConnections: number;
  /** From one remote address; 0 is no limit, absent: half of all. */
  readonly maxPerAddress?: number;
  /** For tests: how long a connection of HTTP/2 may be idle. */
  readonly idleMs?: number;
  /** One was closed to make room, or refused. */
  readonly onLimit: (limit: 'connections' | 'address_connections') => void;
}

/**
 * The connections of a server from their first packet on: their number is bounded, altogether, of each address and while half-open,
 * idle ones are closed, and a shutdown ends all of them, politely first, then for good.
 *
 * Where there are too many, the one goes on which nobody has been authenticated and that has gone longest without a request; where there
 * is none, the new one. Only requests count as use: what keeps a connection alive, such as PING, does not. Each event costs the same for
 * any number of connections.
 */
export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #open = new Map<Socket, OpenConnection>();
  readonly #addresses = new Map<string, RemoteAddress>();
  /** By remote address and port: the secure socket that comes of a raw one has the same. */
  readonly #handshaking = new Map<string, OpenConnection>();
  readonly #secured = new WeakMap<Socket, OpenConnection>();
  readonly #orders: ConnectionOrders = { strangers: new ArrivalOrder(), idle: new ArrivalOrder() };
  readonly #leaving = new WeakSet<Http2Session>();
  readonly #timer: NodeJS.Timeout;

  /** The server tells of HTTP/2 connections by the event `http2`. */
  constructor(server: Server, options: OpenConnectionsOptions) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#begin(socket));
    // Before those who serve it, whose requests count.
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#secure(socket));
    server.on('http2', (session: Http2Session) => this.#secured.get(session.socket)?.speaksHttp2(session));
    this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, (options.idleMs ?? IDLE_MS) / 4));
    this.#timer.unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Asks a client of HTTP/2 to use another connection from now on; what is under way on this one goes on. */
  leave(socket: Socket): void {
    const session = this.#secured.get(socket)?.session;
    if (!session || this.#leaving.has(session)) return;
    this.#leaving.add(session);
    // Streams that are on their way to us are still taken.
    session.announceEnd();
    setTimeout(() => session.leave(), GOAWAY_MS).unref();
  }

  /** Lets HTTP/2 clients know that no new streams are taken; streams under way go on. */
  retire(): void {
    for (const { session } of this.#open.values()) session?.leave();
  }

  destroy(): void {
    clearInterval(this.#timer);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #begin(socket: Socket): void {
    const key = addressOf(socket);
    const address = this.#addressNamed(socket.remoteAddress ?? '');
    const connection = new OpenConnection(socket, address, this.#orders);
    this.#open.set(socket, connection);
    address.count += 1;
    this.#handshaking.set(key, connection);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#handshaking.get(key) === connection) this.#handshaking.delete(key);
      this.#forget(connection);
    });
    this.#makeRoom(connection);
    if (this.#handshaking.size <= MAX_HANDSHAKES) return;
    const [oldest] = this.#handshaking.values();
    if (oldest) this.#end(oldest);
  }

  /** The newest is the last of the strangers: it goes where all others are known. */
  #makeRoom({ address }: OpenConnection): void {
    const { maxConnections, maxPerAddress = Math.ceil(maxConnections / 2), onLimit } = this.#options;
    if (maxPerAddress > 0 && address.count > maxPerAddress && address.strangers.first) {
      onLimit('address_connections');
      this.#end(address.strangers.first);
    }
    if (maxConnections > 0 && this.#open.size > maxConnections && this.#orders.strangers.first) {
      onLimit('connections');
      this.#end(this.#orders.strangers.first);
    }
  }

  #secure(socket: TLSSocket): void {
    const key = addressOf(socket);
    const connection = this.#handshaking.get(key);
    this.#handshaking.delete(key);
    socket.on('error', () => socket.destroy());
    if (!connection) return;
    this.#secured.set(socket, connection);
    setUse(socket, connection);
  }

  #sweep(): void {
    const { idleMs = IDLE_MS } = this.#options;
    const before = performance.now() - idleMs;
    for (let { first } = this.#orders.idle; first && first.idleSince <= before; { first } = this.#orders.idle) {
      const { session } = first;
      first.forget();
      session?.leave();
    }
  }

  #end(connection: OpenConnection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: OpenConnection): void {
    connection.forget();
    if (!this.#open.delete(connection.socket)) return;
    const { address } = connection;
    address.count -= 1;
    if (address.count === 0) this.#addresses.delete(address.name);
  }

  #addressNamed(name: string): RemoteAddress {
    const known = this.#addresses.get(name) ?? new RemoteAddress(name);
    this.#addresses.set(name, known);
    return known;
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''}:${remotePort ?? 0}`;
}

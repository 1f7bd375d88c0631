import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { RawRequest } from '../exchange/raw-exchange.js';
import { clientNetwork } from '../ledger/memory-ledger.js';
import {
  type ConnectionOrders,
  type Http2Session,
  ArrivalOrder,
  OpenConnection,
  RemoteAddress,
  setUse,
  tcpSocketOf,
} from './open-connection.js';

/** Maximum number of connections in TLS handshakes; beyond it, the oldest of them is closed. */
const MAX_HANDSHAKES = 1000;
/** An HTTP/2 connection without requests is closed after this time, like an HTTP/1.1 connection. */
const IDLE_MS = 90_000;
const SWEEP_MS = 1000;
/** Time between the GOAWAY that announces the end of a connection and its end (Go: http2 goAwayTimeout). */
const GOAWAY_MS = 1000;
const LOOK_MS = 20;

export interface OpenConnectionsOptions {
  /** Maximum number of concurrent connections; 0 means no limit. */
  readonly maxConnections: number;
  /** The same from one remote address or IPv6 /64 network; 0 means no limit, absent means half of all. */
  readonly maxPerAddress?: number;
  /** For tests: how long an HTTP/2 connection may be idle. */
  readonly idleMs?: number;
  /** Called for each connection that is refused or closed to make room. */
  readonly onLimit: (limit: 'connections' | 'address_connections') => void;
}

/**
 * The connections of a server, from their first packet. Their number is bounded in total, per address and during the handshake. Idle
 * connections are closed, and a shutdown ends all of them, first by GOAWAY, then by force.
 *
 * At a limit, the connection is closed that has gone longest without a request, among those on which no user has been authenticated. The
 * new connection is one of these, so it is refused if all others are authenticated. Only requests count as use; PINGs and the like do not.
 * Each event takes constant time, regardless of the number of connections.
 */
export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #open = new Map<Socket, OpenConnection>();
  readonly #addresses = new Map<string, RemoteAddress>();
  readonly #handshaking = new Set<OpenConnection>();
  readonly #secured = new WeakMap<Socket, OpenConnection>();
  readonly #orders: ConnectionOrders = { strangers: new ArrivalOrder(), idle: new ArrivalOrder() };
  readonly #leaving = new WeakSet<Http2Session>();
  readonly #timer: NodeJS.Timeout;

  /** The server must emit `http2` with the session of each HTTP/2 connection. */
  constructor(server: Server, options: OpenConnectionsOptions) {
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#begin(socket));
    server.on('proxied', (socket: Socket) => this.#move(socket));
    // Runs before the listeners that serve the connection, so that its first request counts.
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#secure(socket));
    server.on('http2', (session: Http2Session) => this.#secured.get(session.socket)?.speaksHttp2(session));
    this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, (options.idleMs ?? IDLE_MS) / 4));
    this.#timer.unref();
  }

  /** Asks an HTTP/2 client to use another connection; its requests in progress continue. */
  leave(socket: Socket): void {
    this.#leave(this.#secured.get(socket)?.session);
  }

  /** Asks all HTTP/2 clients to use other connections. */
  leaveAll(): void {
    for (const { session } of this.#open.values()) this.#leave(session);
  }

  #leave(session: Http2Session | undefined): void {
    if (!session || this.#leaving.has(session)) return;
    this.#leaving.add(session);
    // Streams that the client opens before it reads this are still served.
    session.announceEnd();
    setTimeout(() => session.leave(), GOAWAY_MS).unref();
  }

  /** Resolves when all connections have ended, at most after the time that clients have to read a GOAWAY, or after `mostMs`. */
  async untilGone(mostMs: number): Promise<void> {
    const end = performance.now() + Math.min(GOAWAY_MS, mostMs);
    while (this.#open.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }

  destroy(): void {
    clearInterval(this.#timer);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #begin(socket: Socket): void {
    const address = this.#addressNamed(clientNetwork(socket.remoteAddress ?? ''));
    const connection = new OpenConnection(socket, address, this.#orders);
    this.#open.set(socket, connection);
    address.count += 1;
    this.#handshaking.add(connection);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#handshaking.delete(connection);
      this.#forget(connection);
    });
    this.#makeRoom(connection);
    if (this.#handshaking.size <= MAX_HANDSHAKES) return;
    const [oldest] = this.#handshaking;
    if (oldest) this.#end(oldest);
  }

  /** From now on the connection is that of the client whom its proxy has named. */
  #move(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    const { address: proxy } = connection;
    connection.moveTo(this.#addressNamed(clientNetwork(socket.remoteAddress ?? '')));
    connection.address.count += 1;
    this.#uncount(proxy);
    this.#makeRoom(connection);
  }

  /**
   * At a limit, closes the unauthenticated connection that has gone longest without a request. This is the new connection if all others
   * are authenticated.
   */
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
    socket.on('error', () => socket.destroy());
    const connection = this.#open.get(tcpSocketOf(socket) ?? socket);
    if (!connection) return;
    this.#handshaking.delete(connection);
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
    if (this.#open.delete(connection.socket)) this.#uncount(connection.address);
  }

  #uncount(address: RemoteAddress): void {
    address.count -= 1;
    if (address.count === 0) this.#addresses.delete(address.name);
  }

  #addressNamed(name: string): RemoteAddress {
    const known = this.#addresses.get(name) ?? new RemoteAddress(name);
    this.#addresses.set(name, known);
    return known;
  }
}

/**
 * `--goaway-chance`: after a random part of the requests, a GOAWAY asks the client to use a new connection, so that the clients of several
 * load-balanced servers spread again after one of them was away (apiserver filters/goaway.go).
 */
export class Goaway {
  readonly #chance: number;
  readonly #connections: OpenConnections;

  constructor(chance: number, connections: OpenConnections) {
    this.#chance = chance;
    this.#connections = connections;
  }

  consider(raw: RawRequest): void {
    if (this.#chance > 0 && Math.random() < this.#chance) this.#connections.leave(raw.socket);
  }
}

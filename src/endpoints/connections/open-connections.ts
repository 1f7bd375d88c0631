import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Http2Session } from './http2-session.js';

/** Connections whose TLS handshake is under way; beyond that, whoever has taken longest has to go. */
const MAX_HANDSHAKES = 1000;
/** An HTTP/2 connection without requests is closed after this, as one of HTTP/1.1. */
const IDLE_MS = 90_000;
/** Between the news that a connection is about to end and its end (Go: http2 goAwayTimeout). */
const GOAWAY_MS = 1000;

/**
 * The connections of a server from their first packet on: half-open ones are bounded, idle ones closed, and a shutdown ends all of
 * them, politely first, then for good.
 */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  /** By remote address: the secure socket that comes of a raw one has the same. */
  readonly #handshaking = new Map<string, Socket>();
  readonly #http2 = new Map<Socket, Http2Session>();
  readonly #leaving = new WeakSet<Http2Session>();

  /** The server tells of HTTP/2 connections by the event `http2`. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#begin(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#handshaking.delete(addressOf(socket));
      socket.on('error', () => socket.destroy());
    });
    server.on('http2', (connection: Http2Session) => this.#track(connection));
  }

  get count(): number {
    return this.#sockets.size;
  }

  /** Asks a client of HTTP/2 to use another connection from now on; what is under way on this one goes on. */
  leave(socket: Socket): void {
    const connection = this.#http2.get(socket);
    if (!connection || this.#leaving.has(connection)) return;
    this.#leaving.add(connection);
    // Streams that are on their way to us are still taken.
    connection.announceEnd();
    setTimeout(() => connection.leave(), GOAWAY_MS).unref();
  }

  /** Lets HTTP/2 clients know that no new streams are taken; streams under way go on. */
  retire(): void {
    for (const connection of this.#http2.values()) connection.leave();
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #begin(socket: Socket): void {
    const address = addressOf(socket);
    this.#sockets.add(socket);
    this.#handshaking.set(address, socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#handshaking.get(address) === socket) this.#handshaking.delete(address);
    });
    if (this.#handshaking.size <= MAX_HANDSHAKES) return;
    const [oldest] = this.#handshaking.values();
    oldest?.destroy();
  }

  #track(connection: Http2Session): void {
    const { socket } = connection;
    this.#http2.set(socket, connection);
    // Fires again and again while nothing is sent or received.
    socket.setTimeout(IDLE_MS, () => connection.isIdle && connection.leave());
    socket.on('close', () => this.#http2.delete(socket));
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''}:${remotePort ?? 0}`;
}

import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Held } from '../ledger/connection-account.js';
import { accountOf } from '../ledger/memory-ledger.js';
import type { ClientTimeouts } from './connection-limits.js';

const MAX_RECORDS_BYTES = 64 * 1024;

/** Why a connection must end. */
type Fault = 'stalled' | 'silent';

/**
 * State of a connection between two checks. Checks compare counters that Node keeps anyway, so that reading and writing cost nothing extra.
 */
class WatchedConnection {
  #taken = -1;
  #takenAt = 0;
  #charged = 0;
  #received = -1;
  #receivedAt = 0;
  /** 0 if no answer to a ping is awaited. */
  #pingedAt = 0;

  constructor(readonly socket: Socket) {}

  /** `now` is in milliseconds of a monotonic clock that does not start at 0. */
  look(now: number, clientTimeouts: ClientTimeouts): Fault | undefined {
    if (this.#isStalled(now, clientTimeouts.stallMs)) return 'stalled';
    const peer = peerOf(this.socket);
    if (!peer) return undefined;
    if (clientTimeouts.stallMs > 0) peer.endStalled?.(now, clientTimeouts.stallMs);
    if (!peer.isAwaited || this.#hasReceived()) {
      this.#receivedAt = now;
      this.#pingedAt = 0;
    } else if (this.#pingedAt > 0) {
      return now - this.#pingedAt >= clientTimeouts.pingMs ? 'silent' : undefined;
    } else if (now - this.#receivedAt >= clientTimeouts.silenceMs) {
      this.#pingedAt = now;
      peer.ping();
    }
    return undefined;
  }

  /** Whether data is waiting to be sent and the kernel has taken none of it for `stallMs`. */
  #isStalled(now: number, stallMs: number): boolean {
    const { socket } = this;
    const taken = socket.writableLength === 0 ? -1 : socket.bytesWritten - socket.writableLength;
    if (taken === -1 || taken !== this.#taken) {
      this.#taken = taken;
      this.#takenAt = now;
      this.#charge(0);
      return false;
    }
    return !this.#charge(heldBy(socket)) || (stallMs > 0 && now - this.#takenAt >= stallMs);
  }

  /** Data waiting in the socket is charged from the second check that finds it there. Returns false if it may not be held. */
  #charge(bytes: number): boolean {
    const change = bytes - this.#charged;
    if (change === 0) return true;
    const account = accountOf(this.socket);
    if (change < 0) account.release(Held.RESPONSES, -change);
    else if (!account.charge(Held.RESPONSES, change)) return false;
    this.#charged = bytes;
    return true;
  }

  #hasReceived(): boolean {
    const received = this.socket.bytesRead;
    if (received === this.#received) return false;
    this.#received = received;
    return true;
  }
}

/** The first chunk is in memory twice: once more as TLS records. */
function heldBy({ writableLength }: Socket): number {
  return writableLength + Math.min(writableLength, MAX_RECORDS_BYTES);
}

const SWEEP_MS = 1000;
/** Timeouts are exact to a quarter of their length, or to a second. */
const PRECISION = 4;

/**
 * Ends connections that take none of the data sent to them or do not answer pings, and stalled responses through their peers. A single
 * timer checks every connection once a second.
 */
export class ConnectionSweep {
  readonly #connections = new Set<WatchedConnection>();
  readonly #clientTimeouts: ClientTimeouts;
  readonly #periodMs: number;
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();
  /** Milliseconds during which this process was able to observe its clients. */
  #clock = 1;

  constructor(server: Server, clientTimeouts: ClientTimeouts) {
    this.#clientTimeouts = clientTimeouts;
    server.on('secureConnection', (socket: TLSSocket) => {
      const connection = new WatchedConnection(socket);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
    const shortest = Math.min(clientTimeouts.stallMs || Infinity, clientTimeouts.silenceMs, clientTimeouts.pingMs);
    this.#periodMs = Math.min(SWEEP_MS, shortest / PRECISION);
    this.#timer = setInterval(() => this.#sweep(), this.#periodMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    // A process that was suspended could not see what arrived meanwhile, so that time is not held against clients.
    this.#clock += Math.min(now - this.#last, this.#periodMs);
    this.#last = now;
    for (const connection of this.#connections) {
      const fault = connection.look(this.#clock, this.#clientTimeouts);
      if (!fault) continue;
      const { socket } = connection;
      this.#connections.delete(connection);
      accountOf(socket).met(fault);
      socket.destroy();
    }
  }
}

/** The client of a connection whose protocol has more than bytes: HTTP/2 or WebSocket. */
export interface Peer {
  /** Whether it must answer pings, because something is in progress that only the client can end. */
  readonly isAwaited: boolean;
  ping(): void;
  /** Ends responses of which the client has taken nothing for `stallMs`. `now` is in milliseconds of any monotonic clock. */
  endStalled?(now: number, stallMs: number): void;
}

const peers = new WeakMap<object, Peer>();

/** From here on, the connection speaks HTTP/2 or WebSocket. */
export function setPeer(socket: Socket, peer: Peer): void {
  peers.set(socket, peer);
}

/** Returns undefined for HTTP/1.1 connections. */
function peerOf(socket: Socket): Peer | undefined {
  return peers.get(socket);
}

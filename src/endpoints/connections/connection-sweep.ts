import type { Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { accountOf } from '../ledger/account-of.js';
import type { ClientTimeouts } from './client-timeouts.js';
import { WatchedConnection } from './watched-connection.js';

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

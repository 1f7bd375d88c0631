import type { Socket } from 'node:net';
import { accountOf } from '../ledger/account-of.js';
import { Held } from '../ledger/held.js';
import type { ClientTimeouts } from './client-timeouts.js';
import { peerOf } from './peer.js';

const MAX_RECORDS_BYTES = 64 * 1024;

/** Why a connection must end. */
export type Fault = 'stalled' | 'silent';

/**
 * State of a connection between two checks. Checks compare counters that Node keeps anyway, so that reading and writing cost nothing extra.
 */
export class WatchedConnection {
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

import type { Socket } from 'node:net';
import { accountOf } from '../ledger/account-of.js';
import { Held } from '../ledger/held.js';
import type { Patience } from './patience.js';
import { peerOf } from './peer.js';

const MAX_RECORDS_BYTES = 64 * 1024;

/** Why a connection has to end. */
export type Fault = 'stalled' | 'silent';

/**
 * What is remembered of a connection between two looks at it. Looks compare counters that Node keeps anyway, so that reading and writing
 * cost nothing more.
 */
export class WatchedConnection {
  #taken = -1;
  #takenAt = 0;
  #charged = 0;
  #received = -1;
  #receivedAt = 0;
  /** 0 while no answer to a ping is awaited. */
  #pingedAt = 0;

  constructor(readonly socket: Socket) {}

  /** `now` in milliseconds of a clock that never goes back and does not begin at 0. */
  look(now: number, patience: Patience): Fault | undefined {
    if (this.#isStalled(now, patience.stallMs)) return 'stalled';
    const peer = peerOf(this.socket);
    if (!peer) return undefined;
    if (patience.stallMs > 0) peer.endStalled?.(now, patience.stallMs);
    if (!peer.isAwaited || this.#hasReceived()) {
      this.#receivedAt = now;
      this.#pingedAt = 0;
    } else if (this.#pingedAt > 0) {
      return now - this.#pingedAt >= patience.pingMs ? 'silent' : undefined;
    } else if (now - this.#receivedAt >= patience.silenceMs) {
      this.#pingedAt = now;
      peer.ping();
    }
    return undefined;
  }

  /** Something waits to be sent, and the kernel has taken nothing of it for so long. */
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

  /** What waits in the socket is charged from the second look on that finds it there. False when it may not be held. */
  #charge(bytes: number): boolean {
    const change = bytes - this.#charged;
    if (change === 0) return true;
    const account = accountOf(this.socket);
    if (change < 0) account.release(Held.ANSWERS, -change);
    else if (!account.charge(Held.ANSWERS, change)) return false;
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

/** The first of it is in memory once more, as TLS records. */
function heldBy({ writableLength }: Socket): number {
  return writableLength + Math.min(writableLength, MAX_RECORDS_BYTES);
}

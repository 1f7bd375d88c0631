import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';

/** How far the response to a request has come, and what is held of it. */
export class ResponseProgress {
  #respondedAt = 0;
  #sentBytes = 0;
  #failureLogged = false;
  #isTooSlow = false;
  #heldBytes = 0;

  /** When the response was complete, in milliseconds of `performance.now()`; 0 until then, and for streams. */
  get respondedAt(): number {
    return this.#respondedAt;
  }

  /** Size of the response body in bytes. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Whether a watch was ended because its client does not keep up. */
  get isTooSlow(): boolean {
    return this.#isTooSlow;
  }

  tooSlow(): void {
    this.#isTooSlow = true;
  }

  /** Whether a failure of the request has been logged together with its cause. */
  get failureLogged(): boolean {
    return this.#failureLogged;
  }

  /** Marks the response as complete, with the size of its body. */
  respond(bytes: number): void {
    this.#sentBytes = bytes;
    this.#respondedAt = performance.now();
  }

  /** Counts a part of a stream that was sent. */
  countSent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  markFailureLogged(): void {
    this.#failureLogged = true;
  }

  /** Charges what is kept of the response until it is sent. Returns false if the client's connection already holds too much. */
  hold(account: ConnectionAccount, bytes: number): boolean {
    const taken = account.charge(Held.RESPONSES, bytes);
    if (taken) this.#heldBytes += bytes;
    return taken;
  }

  release(account: ConnectionAccount): void {
    if (this.#heldBytes > 0) account.release(Held.RESPONSES, this.#heldBytes);
    this.#heldBytes = 0;
  }
}

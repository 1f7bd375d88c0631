/** Bounds of the server's clock: it is ahead of ours by at least `least` and at most `most` milliseconds. */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

/**
 * Learns from a Date header, which is truncated to whole seconds: when the response was made, between `sent` and `received` on our clock,
 * the server's clock was at that date or less than a second later. Every response narrows the bounds; one that contradicts
 * them replaces them, since a clock was set.
 */
export function narrowOffset(known: ClockOffset | undefined, date: string, sent: number, received: number): ClockOffset | undefined {
  const at = Date.parse(date);
  if (Number.isNaN(at)) return known;
  const seen: ClockOffset = { least: at - received, most: at + 1000 - sent };
  if (!known) return seen;
  const both = { least: Math.max(known.least, seen.least), most: Math.min(known.most, seen.most) };
  return both.least <= both.most ? both : seen;
}

/** The best estimate, in milliseconds to add to our clock. It is 0 if the bounds allow that. */
export function offsetMs(known: ClockOffset | undefined): number {
  if (!known || (known.least <= 0 && known.most >= 0)) return 0;
  return (known.least + known.most) / 2;
}

/**
 * The server's clock, derived from ours and from its responses. Ours is monotonic: a change of the system time has no effect here. While there is no
 * word from the server, `now` stands at the last one, so that no state changes of which the page knows nothing.
 */
export class ServerClock {
  #offset: ClockOffset | undefined;
  heard = 0;
  #silent = false;
  readonly localNow = (): number => performance.timeOrigin + performance.now();

  readonly running = (): number => this.localNow() + offsetMs(this.#offset);

  readonly now = (): number => this.running() - this.silentMs;

  readonly hear = (): void => {
    this.heard = this.localNow();
    this.#silent = false;
  };

  /** Nothing has come from the server although it was asked. */
  readonly miss = (): void => {
    this.#silent = true;
  };

  /** The time since the last word of a server that has fallen silent; else 0. */
  get silentMs(): number {
    return this.#silent ? this.localNow() - this.heard : 0;
  }

  readonly learn = (date: string, sent: number, received: number): void => {
    this.#offset = narrowOffset(this.#offset, date, sent, received);
  };

  get offsetMs(): number {
    return offsetMs(this.#offset);
  }
}

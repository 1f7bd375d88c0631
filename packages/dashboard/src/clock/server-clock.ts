/** What is known of the server's clock: it is ahead of ours by at least `least` and at most `most` milliseconds. */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

/**
 * Learns from a Date header, which has whole seconds, cut off: when the answer was made, between `sent` and `received` on our clock, the
 * server's clock stood at the date or less than a second after it. Every answer narrows what was known; one that contradicts
 * it starts anew, since a clock was set.
 */
export function narrowOffset(known: ClockOffset | undefined, date: string, sent: number, received: number): ClockOffset | undefined {
  const at = Date.parse(date);
  if (Number.isNaN(at)) return known;
  const seen: ClockOffset = { least: at - received, most: at + 1000 - sent };
  if (!known) return seen;
  const both = { least: Math.max(known.least, seen.least), most: Math.min(known.most, seen.most) };
  return both.least <= both.most ? both : seen;
}

/** The best guess, in milliseconds to add to our clock. A difference that may be none is none. */
export function offsetMs(known: ClockOffset | undefined): number {
  if (!known || (known.least <= 0 && known.most >= 0)) return 0;
  return (known.least + known.most) / 2;
}

/** The server's clock, by ours and what its answers said. Ours is monotonic: a change of the system's time moves nothing here. */
export class ServerClock {
  #offset: ClockOffset | undefined;
  readonly localNow = (): number => performance.timeOrigin + performance.now();

  readonly now = (): number => this.localNow() + offsetMs(this.#offset);

  readonly learn = (date: string, sent: number, received: number): void => {
    this.#offset = narrowOffset(this.#offset, date, sent, received);
  };

  get offsetMs(): number {
    return offsetMs(this.#offset);
  }
}

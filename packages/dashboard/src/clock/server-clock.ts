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

/** When the last word came: on the monotonic clock, which may stand still while the computer sleeps, and on the wall clock, which is set at times. */
interface Word {
  readonly local: number;
  readonly wall: number;
}

/** A server that has said nothing for this long is silent, whether or not anybody had the time to ask it. */
const SILENCE_MS = 9_000;

/**
 * The server's clock, derived from ours and from its responses. Ours is monotonic: a change of the system time has no effect here. A word is proof that
 * the server knows the leases as they are: a consistent read, or a change that it sends. Not every response is one, for it answers much from memory.
 */
export class ServerClock {
  #offset: ClockOffset | undefined;
  #heard: Word | undefined;
  #missed = false;
  /** Why there was no word, if the server or a proxy has said so. */
  why: string | undefined;
  /** How often a word has ended a silence. What was followed before may have missed changes. */
  silences = 0;
  readonly localNow = (): number => performance.timeOrigin + performance.now();

  readonly running = (): number => this.localNow() + offsetMs(this.#offset);

  /** Stands at the last word while the server is silent. */
  readonly now = (): number => (this.silentMs > 0 ? this.known() : this.running());

  /** The time of the last word. Leases are shown in the state that they had then, so that none expires unheard. */
  readonly known = (): number => this.running() - (this.#heard === undefined ? 0 : this.localNow() - this.#heard.local);

  readonly hear = (): void => {
    if (this.silentMs > 0) this.silences++;
    this.#heard = { local: this.localNow(), wall: Date.now() };
    this.#missed = false;
    this.why = undefined;
  };

  /** The server was asked and has not told; `why` in its own or a proxy's words. */
  readonly miss = (why: string | undefined): void => {
    this.#missed = this.#heard !== undefined;
    this.why = why;
  };

  /** Nothing is followed by which a silence could be noticed, or that it could make wrong. */
  readonly forget = (): void => {
    this.#heard = undefined;
    this.#missed = false;
    this.why = undefined;
  };

  /** The time since the last word. */
  get sinceWordMs(): number {
    return this.#heard === undefined ? 0 : Math.max(this.localNow() - this.#heard.local, Date.now() - this.#heard.wall);
  }

  /** The time since the last word of a server that has fallen silent; else 0. */
  get silentMs(): number {
    return this.#missed || this.sinceWordMs > SILENCE_MS ? this.sinceWordMs : 0;
  }

  readonly learn = (date: string, sent: number, received: number): void => {
    this.#offset = narrowOffset(this.#offset, date, sent, received);
  };

  get offsetMs(): number {
    return offsetMs(this.#offset);
  }
}

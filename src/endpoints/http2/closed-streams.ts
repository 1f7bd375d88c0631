/** How many of them are remembered: as many as may have frames on their way. */
const REMEMBERED = 256;

/** Streams that ended not long ago, and who ended them: what still comes for a stream that this side reset is passed over. */
export class ClosedStreams {
  readonly #resetHere = new Map<number, boolean>();

  add(stream: number, resetHere: boolean): void {
    this.#resetHere.set(stream, resetHere);
    if (this.#resetHere.size <= REMEMBERED) return;
    const [oldest] = this.#resetHere.keys();
    if (oldest !== undefined) this.#resetHere.delete(oldest);
  }

  has(stream: number): boolean {
    return this.#resetHere.has(stream);
  }

  wasResetHere(stream: number): boolean {
    return this.#resetHere.get(stream) ?? false;
  }
}

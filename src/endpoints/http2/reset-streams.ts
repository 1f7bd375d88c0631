/** How many of them are remembered: as many as may have frames on their way. */
const REMEMBERED = 256;

/** Streams that this side reset not long ago: what the client sent before it heard of that is passed over. */
export class ResetStreams {
  readonly #streams = new Set<number>();

  add(stream: number): void {
    this.#streams.add(stream);
    if (this.#streams.size <= REMEMBERED) return;
    const [oldest] = this.#streams;
    if (oldest !== undefined) this.#streams.delete(oldest);
  }

  has(stream: number): boolean {
    return this.#streams.has(stream);
  }
}

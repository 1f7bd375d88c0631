/** Number of remembered streams: as many as may have frames on their way. */
const REMEMBERED = 256;

/** Streams recently reset by this side: frames that the client sent before it learned of the reset are ignored. */
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

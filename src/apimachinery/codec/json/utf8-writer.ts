/** The most bytes that a UTF-16 unit can take. */
const UNIT_BYTES = 3;

/**
 * Texts one behind the other as UTF-8. Long answers are written piece by piece: putting thousands of pieces together to one text
 * first, only to encode that, costs more than twice as much.
 */
export class Utf8Writer {
  #bytes: Buffer;
  #length = 0;

  /** `expected`: how many bytes there will be, more or less. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  write(text: string): void {
    const most = this.#length + text.length * UNIT_BYTES;
    if (most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** What has been written. The writer is not to be used again. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, Math.ceil(this.#bytes.length * 1.5)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

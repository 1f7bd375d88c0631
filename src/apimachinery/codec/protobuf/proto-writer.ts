const INITIAL_BYTES = 64 * 1024;
/** Strings up to this length are copied character by character, which is faster than a call of the encoder. */
const SHORT = 256;

/**
 * Writes protobuf back to front, as gogo does: the content of a message is written before its length and tag, so lengths need not be
 * computed beforehand. One buffer is reused; `take` copies the result from it.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** Start of the written part. */
  #at = INITIAL_BYTES;

  /** Bytes written so far; the difference to an earlier value is the length of what was written since. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Writes a safe integer; a negative one takes ten bytes, as in Go. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) this.#buffer[this.#reserve(1)] = value;
    else if (value < 0) this.#negative(value);
    else this.#long(value);
  }

  /** Writes a string's bytes in UTF-8, without tag and length. */
  string(value: string): void {
    const size = value.length;
    if (size <= SHORT && this.#ascii(value)) return;
    const bytes = Buffer.byteLength(value);
    const at = this.#reserve(bytes);
    this.#buffer.write(value, at, bytes, 'utf8');
  }

  /** Writes the tag and length of everything written since the length was `before`. */
  head(tag: number, before: number): void {
    const length = this.length - before;
    if (length < 0x80 && tag < 0x80) {
      const at = this.#reserve(2);
      this.#buffer[at] = tag;
      this.#buffer[at + 1] = length;
    } else {
      this.varint(length);
      this.varint(tag);
    }
  }

  /** Writes bytes, without tag and length. */
  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  /** Returns a copy of what has been written, and clears the writer. */
  take(): Buffer {
    const out = Buffer.allocUnsafe(this.length);
    this.#buffer.copy(out, 0, this.#at);
    this.#at = this.#buffer.length;
    if (this.#buffer.length > 16 * INITIAL_BYTES) this.reset();
    return out;
  }

  /** Discards what has been written. */
  reset(): void {
    this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    this.#at = INITIAL_BYTES;
  }

  #long(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  #ascii(value: string): boolean {
    const size = value.length;
    const start = this.#reserve(size);
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.#at = start + size;
        return false;
      }
      this.#buffer[start + i] = code;
    }
    return true;
  }

  /** Negative integers are written as 64-bit two's complement: always ten bytes. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    let at = this.#reserve(10);
    for (let i = 0; i < 9; i++, rest >>= 7n) this.#buffer[at++] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[at] = Number(rest);
  }

  /** Reserves space before the written bytes and returns its index. */
  #reserve(size: number): number {
    if (this.#at < size) this.#grow(size);
    return (this.#at -= size);
  }

  #grow(size: number): void {
    const written = this.length;
    const next = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, written + size));
    this.#buffer.copy(next, next.length - written, this.#at);
    this.#at = next.length - written;
    this.#buffer = next;
  }
}

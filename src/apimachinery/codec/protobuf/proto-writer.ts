const INITIAL_BYTES = 64 * 1024;
/** Strings up to this length are copied character by character, which beats a call into the encoder. */
const SHORT = 256;

/**
 * Writes protobuf back to front, as gogo does: a message's content stands before its length and tag are written, so that no
 * lengths have to be computed beforehand. One buffer is used again and again; `take` copies the result out of it.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** Where the written part begins. */
  #at = INITIAL_BYTES;

  /** Bytes written so far; the difference to an earlier value is the length of what came since. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  varint(value: number): void {
    if (value >= 0 && value < 0x80) this.#buffer[this.#reserve(1)] = value;
    else if (value < 0) this.#negative(value);
    else this.#long(value);
  }

  string(value: string): void {
    const size = value.length;
    if (size <= SHORT && this.#ascii(value)) return;
    const bytes = Buffer.byteLength(value);
    const at = this.#reserve(bytes);
    this.#buffer.write(value, at, bytes, 'utf8');
  }

  /** Tag and length of what has been written since it was `before` bytes. */
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

  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  /** What has been written, as bytes of its own; the writer is empty again. */
  take(): Buffer {
    const out = Buffer.allocUnsafe(this.length);
    this.#buffer.copy(out, 0, this.#at);
    this.#at = this.#buffer.length;
    if (this.#buffer.length > 16 * INITIAL_BYTES) this.reset();
    return out;
  }

  /** Forgets what has been written. */
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

  /** Reserves space in front of the written bytes and returns its index. */
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

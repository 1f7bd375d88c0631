import { parsed } from '../parsed-json.js';
import { readFirstCbor } from './cbor.js';
import { readMessage } from './read-protobuf.js';

/** Cuts a stream of watch events into events, in the framing of its media type. */
export interface EventFrames {
  /** The events completed by this chunk. */
  take(chunk: Buffer): unknown[];
  /** The remaining events at the end of the stream. */
  end(): unknown[];
}

export function eventFrames(contentType: string, skip: (line: string) => boolean): EventFrames {
  if (contentType.includes('protobuf')) return new BinaryFrames(nextProtobuf);
  if (contentType.includes('cbor')) return new BinaryFrames(readFirstCbor);
  return new LineFrames(skip);
}

type Next = (bytes: Buffer) => { item: unknown; rest: Buffer } | undefined;

class BinaryFrames implements EventFrames {
  readonly #next: Next;
  #rest: Buffer = Buffer.alloc(0);

  constructor(next: Next) {
    this.#next = next;
  }

  take(chunk: Buffer): unknown[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const events: unknown[] = [];
    while (this.#rest.length > 0) {
      const found = this.#next(this.#rest);
      if (found === undefined) break;
      events.push(found.item);
      this.#rest = found.rest;
    }
    return events;
  }

  /** A truncated frame is not an event. */
  end(): unknown[] {
    return [];
  }
}

/** Frames: a length (4 bytes, big endian) and a WatchEvent without an envelope. */
function nextProtobuf(bytes: Buffer): ReturnType<Next> {
  if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE()) return undefined;
  const end = 4 + bytes.readUInt32BE();
  return { item: readMessage('WatchEvent', bytes.subarray(4, end)), rest: bytes.subarray(end) };
}

class LineFrames implements EventFrames {
  readonly #skip: (line: string) => boolean;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(skip: (line: string) => boolean) {
    this.#skip = skip;
  }

  take(chunk: Buffer): unknown[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '' && !this.#skip(line)).map(parsed);
  }

  end(): unknown[] {
    return this.#rest.trim() === '' ? [] : [parsed(this.#rest)];
  }
}

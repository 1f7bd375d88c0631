import { promisify } from 'node:util';
import { crc32, gzip, gzipSync } from 'node:zlib';
import type { WatchSink } from './watch-stream.js';

const compress = promisify(gzip);

/** Upstream's level (apiserver handlers/responsewriters/compression.go). */
const OPTIONS = { level: 1 };
/** Shorter writes, such as single events, gain too little to be worth compressing for every watch. */
const SHORTEST_COMPRESSED = 2048;
/** Longer writes, such as the initial events, leave the event loop to a thread. */
const LONGEST_INLINE = 16 * 1024;

/**
 * Sends each write as a gzip member of its own, so that a watch that waits for events holds no state of a compressor (apiserver
 * handlers/watch.go perFlushGzipWriter). Writes keep their order.
 */
export function gzipSink(sink: WatchSink): WatchSink {
  let last: Promise<void> | undefined;
  const after = (run: () => void | Promise<void>): void => {
    const mine = Promise.resolve(last)
      .then(run)
      .catch(() => sink.destroy())
      .then(() => {
        if (last === mine) last = undefined;
      });
    last = mine;
  };
  return {
    open: () => sink.open(),
    write(frames, done) {
      const bytes = Buffer.concat(frames);
      if (bytes.length > LONGEST_INLINE) {
        const member = compress(bytes, OPTIONS);
        after(async () => sink.write([await member], done));
        return;
      }
      const member = bytes.length < SHORTEST_COMPRESSED ? storedMember(bytes) : gzipSync(bytes, OPTIONS);
      if (last) after(() => sink.write([member], done));
      else sink.write([member], done);
    },
    end: () => (last ? after(() => sink.end()) : sink.end()),
    destroy: () => sink.destroy(),
  };
}

/** The header of a member: deflate, no flags, no time, fastest, unknown system; and that of one final stored block, without its length. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255, 1]);

/** A member (RFC 1952) that holds at most 64 KiB as they are. */
function storedMember(bytes: Buffer): Buffer {
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(bytes.length, 0);
  lengths.writeUInt16LE(bytes.length ^ 0xffff, 2);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([HEAD, lengths, bytes, trailer]);
}

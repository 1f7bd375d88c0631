import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import type { WatchSink } from './watch-stream.js';

const compress = promisify(deflateRaw);

/** Upstream's level (apiserver handlers/responsewriters/compression.go). */
const OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };
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
        const blocks = compress(bytes, OPTIONS);
        after(async () => sink.write(memberOf(bytes, await blocks), done));
        return;
      }
      const member = memberOf(bytes, bytes.length < SHORTEST_COMPRESSED ? storedBlocks(bytes) : deflateRawSync(bytes, OPTIONS));
      if (last) after(() => sink.write(member, done));
      else sink.write(member, done);
    },
    end: () => (last ? after(() => sink.end()) : sink.end()),
    destroy: () => sink.destroy(),
  };
}

/** The header of a member: deflate, no flags, no time, fastest, unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** An empty stored block, after which decompressors hand over what they have; and the same as the last block of a member. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);
const FINAL = Buffer.from([1, 0, 0, 0xff, 0xff]);

/**
 * A member (RFC 1952) of blocks that end with an empty one, plus a last one of its own. Go's reader hands over nothing of a member's last block
 * before it has the header of the next member (compress/gzip), which may be minutes away.
 */
function memberOf(bytes: Buffer, blocks: Buffer): Buffer[] {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return [Buffer.concat([HEAD, blocks, FINAL, trailer])];
}

/** Blocks that hold at most 64 KiB as they are. */
function storedBlocks(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes, FLUSH]);
}

import { randomBytes } from 'node:crypto';
import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import type { WatchItem } from '../../storage/object-store.js';
import { type WatchSink, WatchStream, gzipSink } from './watch-stream.js';

describe('WatchStream', () => {
  it('keeps any number of items until the response begins', () => {
    const stream = new WatchStream();
    const items = Array.from({ length: 300_000 }, () => ({}) as WatchItem);
    expect(() => stream.receive(items)).not.toThrow();
  });
});

/** What a sink is told, with the writes decompressed one by one. */
function recorded(): { readonly sink: WatchSink; readonly log: string[]; readonly ended: Promise<void> } {
  const log: string[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const inner: WatchSink = {
    open: () => void log.push('open'),
    write(frames, done) {
      for (const frame of frames) log.push(String(gunzipSync(frame)));
      done();
    },
    end: () => {
      log.push('end');
      end();
    },
    destroy: () => void log.push('destroy'),
  };
  return { sink: gzipSink(inner), log, ended };
}

describe('a sink that compresses', () => {
  it('makes a member of each write, and keeps their order, whatever their sizes are', async () => {
    const { sink, log, ended } = recorded();
    const texts = [0, 1, 2047, 2048, 16_384, 16_385, 300_000, 3, 40_000, 50_000, 5].map((size) => 'x'.repeat(size));
    let done = 0;
    sink.open();
    for (const text of texts) sink.write([Buffer.from(text)], () => done++);
    sink.end();
    await ended;
    expect(log).toEqual(['open', ...texts, 'end']);
    expect(done).toBe(texts.length);
  });

  it('ends while nothing is being compressed at once, and later writes are not held up by earlier ones', async () => {
    const { sink, log } = recorded();
    const long = randomBytes(100_000).toString('hex');
    await new Promise<void>((resolve) => sink.write([Buffer.from(long), Buffer.from('!')], resolve));
    await new Promise((resolve) => setImmediate(resolve));
    sink.write([Buffer.from('a')], () => undefined);
    sink.end();
    expect(log).toEqual([`${long}!`, 'a', 'end']);
  });

  it.each([5, 5_000, 50_000])(
    'has all %d bytes of a write before the last block of its member, since Go withholds what is in that',
    async (size) => {
      const members: Buffer[] = [];
      const inner = { open: () => undefined, end: () => undefined, destroy: () => undefined };
      const text = randomBytes(size / 2 + 1).toString('hex');
      await new Promise<void>((resolve) => {
        const sink = gzipSink({ ...inner, write: (frames, done) => (members.push(...frames), done()) });
        sink.write([Buffer.from(text)], resolve);
      });
      const [head, lastAndTrailer] = [10, 5 + 8];
      const blocks = Buffer.concat(members).subarray(head, -lastAndTrailer);
      expect(blocks.subarray(-4)).toEqual(Buffer.from([0, 0, 0xff, 0xff]));
      expect(String(inflateRawSync(blocks, { finishFlush: constants.Z_SYNC_FLUSH }))).toBe(text);
    },
  );
});

import { FrameSplitter } from './frame-splitter.js';
import { frame, settings, windowUpdate } from './http2-frames.js';

test('frames are the same however the bytes are split', () => {
  const bytes = Buffer.concat([settings([[4, 0]]), windowUpdate(3, 77), frame(0, 1, 5, Buffer.from('abc')), frame(6, 1, 0)]);
  for (const size of [1, 2, 7, 10, bytes.length]) {
    const splitter = new FrameSplitter();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...splitter.split(bytes.subarray(at, at + size)));
    expect(frames.map(({ type, flags, stream, payload }) => [type, flags, stream, payload.toString('hex')])).toEqual([
      [4, 0, 0, '000400000000'],
      [8, 0, 3, '0000004d'],
      [0, 1, 5, '616263'],
      [6, 1, 0, ''],
    ]);
  }
});

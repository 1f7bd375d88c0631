import type { WatchItem } from '../../storage/object-store.js';
import { WatchStream } from './watch-stream.js';

describe('WatchStream', () => {
  it('keeps any number of items until the response begins', () => {
    const stream = new WatchStream();
    const items = Array.from({ length: 300_000 }, () => ({}) as WatchItem);
    expect(() => stream.receive(items)).not.toThrow();
  });
});

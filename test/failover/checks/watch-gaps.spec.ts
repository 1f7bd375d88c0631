import { describe, expect, test } from '@jest/globals';
import { event, list, state } from './history-builder.js';
import { watchGaps, wrongPicture } from './watch-gaps.js';
import type { WatchEntry } from '../history.js';

const gaps = (...entries: WatchEntry[]) => watchGaps({ name: 'w', entries }).map(({ text }) => text);
const expired: WatchEntry = { at: 0, kind: 'expired' };

describe('the events of a watcher', () => {
  test('every change since a list, with bookmarks and resumptions in between, is correct', () => {
    const found = gaps(
      list(3, { a: state('x', '-', 3) }),
      event('MODIFIED', 'a', state('y', 'x', 4)),
      { at: 5, kind: 'bookmark', revision: 7 },
      { at: 6, kind: 'resume', revision: 7 },
      event('DELETED', 'a', state('y', 'x', 8)),
      event('ADDED', 'a', state('z', 'D:y', 9)),
    );
    expect(found).toEqual([]);
  });

  test('a missed change shows in the next one', () => {
    expect(gaps(list(3, { a: state('x', '-', 3) }), event('MODIFIED', 'a', state('z', 'y', 5)))).toEqual([
      'w: MODIFIED a: z at 5 follows y, but x was seen last',
    ]);
  });

  test('a change from a lost history is reported when the object continues from before it', () => {
    const found = gaps(
      list(3, { a: state('x', '-', 3) }),
      event('MODIFIED', 'a', state('lost', 'x', 4)),
      event('MODIFIED', 'a', state('y', 'x', 9)),
    );
    expect(found).toEqual(['w: MODIFIED a: y at 9 follows x, but lost was seen last']);
  });

  test('after a 410, a list may show anything that is not older', () => {
    const items = { a: state('y', 'x', 9) };
    expect(gaps(list(3, { a: state('x', '-', 3) }), event('MODIFIED', 'a', state('lost', 'x', 4)), expired, list(9, items))).toEqual([]);
    expect(gaps(list(10), expired, list(9, items))).toEqual(['w: a list at 9 after version 10']);
  });

  test('a repeated change and one out of order are reported', () => {
    const first = event('ADDED', 'a', state('x', '-', 4));
    expect(gaps(list(3), first, first)).toEqual(['w: ADDED a: version 4 after 4']);
    expect(gaps(list(5), first)).toEqual(['w: ADDED a: version 4 after 5']);
  });

  test('missed deletions and creations are reported', () => {
    expect(gaps(list(3, { a: state('x', '-', 3) }), event('ADDED', 'a', state('z', 'D:x', 6)))).toHaveLength(1);
    expect(gaps(list(3), event('MODIFIED', 'a', state('y', 'x', 6)))).toHaveLength(1);
    expect(gaps(list(3), event('DELETED', 'a', state('x', '-', 6)))).toHaveLength(1);
  });

  test('a bookmark that goes backwards is reported', () => {
    expect(gaps(list(5), { at: 1, kind: 'bookmark', revision: 4 })).toHaveLength(1);
  });
});

test('a state that differs from the last list is wrong, whichever side lacks an object', () => {
  const truth = new Map([
    ['a', state('x', '-', 3)],
    ['b', state('q', '-', 4)],
  ]);
  expect(wrongPicture('w', 0, truth, truth)).toEqual([]);
  expect(wrongPicture('w', 0, new Map([['a', state('x', '-', 3)]]), truth)).toHaveLength(1);
  expect(wrongPicture('w', 0, truth, new Map([['a', state('y', 'x', 5)]]))).toHaveLength(2);
});

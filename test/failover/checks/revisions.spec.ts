import { describe, expect, test } from '@jest/globals';
import { event, read, state, write } from './history-builder.js';
import { repeatedRevisions, revisionsGoneBack } from './revisions.js';

const log = (...entries: ReturnType<typeof event>[]) => [{ name: 'w', entries }];

describe('repeated revisions', () => {
  test('one state may be seen in a response, by reads and by watchers', () => {
    const seen = state('x', '-', 1);
    expect(repeatedRevisions([write(1, 'x', '-')], [read(20, seen)], log(event('ADDED', 'a', seen)))).toEqual([]);
  });

  test('two states of one object at one revision are reported once', () => {
    const other = state('y', 'x', 1);
    const found = repeatedRevisions([write(1, 'x', '-')], [read(20, other), read(30, other)], log(event('MODIFIED', 'a', other)));
    expect(found.map(({ text }) => text)).toEqual(['1 is both x of a and y of a']);
  });

  test('one revision for two objects is reported', () => {
    expect(repeatedRevisions([write(1, 'x', '-')], [], log(event('ADDED', 'b', state('x', '-', 1))))).toHaveLength(1);
  });

  test('a deletion with the revision of another state is reported', () => {
    const seen = state('x', '-', 1);
    expect(repeatedRevisions([], [], log(event('ADDED', 'a', seen), event('DELETED', 'a', seen)))).toHaveLength(1);
  });
});

describe('revisions that go backwards', () => {
  test('concurrent writes may get revisions in either order', () => {
    expect(revisionsGoneBack([write(1, 'x', '-', { revision: 2 }), write(1, 'y', '-', { revision: 1, key: 'b' })])).toEqual([]);
  });

  test('a write sent after a response gets a greater revision, even if the earlier write was lost', () => {
    const writes = [write(1, 'x', '-'), write(9, 'lost', 'x'), write(10, 'y', 'x', { revision: 9 }), write(11, 'z', 'y')];
    expect(revisionsGoneBack(writes).map(({ text }) => text)).toEqual(['y of a got 9 after lost of a had got 9']);
  });
});

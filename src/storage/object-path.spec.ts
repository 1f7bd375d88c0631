import { describe, expect, it } from '@jest/globals';
import { comparePaths, pathBounds } from './object-path.js';

describe('object paths', () => {
  it('are ordered by their UTF-8 bytes', () => {
    const paths = ['', 'a', 'a\0', 'a-b/x', 'a/x', 'a0', 'ab', 'é', '\u{ffff}', '\u{10000}', '\u{1f600}a'];
    const shuffled = paths.toReversed().sort(comparePaths);
    expect(shuffled).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(shuffled).toEqual(paths);
  });

  it('of a namespace are those after its slash and before the next character', () => {
    expect(pathBounds({ resource: 'r', namespace: 'ns' })).toEqual({ from: 'ns/', to: 'ns0' });
    expect(pathBounds({ resource: 'r', namespace: 'ns' }, 'b\0')).toEqual({ from: 'ns/b\0', to: 'ns0' });
    expect(pathBounds({ resource: 'r' }, 'ns/b')).toEqual({ from: 'ns/b' });
  });

  it('of one name are this name only, and none after it', () => {
    expect(pathBounds({ resource: 'r', namespace: 'ns', name: 'b' })).toEqual({ from: 'ns/b', to: 'ns/b\0' });
    expect(pathBounds({ resource: 'r', namespace: 'ns', name: 'b' }, 'b\0')).toEqual({ from: 'ns/b\0', to: 'ns/b\0' });
    expect(pathBounds({ resource: 'r', namespace: '', name: 'b' }, 'a')).toEqual({ from: 'b', to: 'b\0' });
  });
});

import { describe, expect, it } from '@jest/globals';
import { DoneAnnouncements } from './done-announcements.js';

describe('DoneAnnouncements', () => {
  it('has those that are done meanwhile forgotten together', async () => {
    const asked: { readonly ids: readonly string[]; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
    const done = new DoneAnnouncements((ids) => new Promise((resolve, reject) => asked.push({ ids, resolve, reject })));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = done.add('a');
    await turn();
    const others = [done.add('b'), done.add('c')];
    await turn();
    expect(asked.map(({ ids }) => ids)).toEqual([['a']]);
    asked[0]?.resolve();
    await first;
    await turn();
    expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
    asked[1]?.reject(new Error('away'));
    expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const last = done.add('d');
    await turn();
    asked[2]?.resolve();
    await last;
  });
});

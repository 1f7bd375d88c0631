import { IntrusiveSet } from './requests-in-flight.js';

const item = (name: string) => ({ name, slot: -1 });

const namesIn = (set: IntrusiveSet<ReturnType<typeof item>>) => {
  const names: string[] = [];
  set.forEach(({ name }) => names.push(name));
  return names.sort();
};

describe('an intrusive set', () => {
  it('contains the items that were added and not deleted', () => {
    const set = new IntrusiveSet<ReturnType<typeof item>>();
    const [a, b, c] = [item('a'), item('b'), item('c')];
    for (const each of [a, b, c]) set.add(each);
    set.delete(b);
    expect([namesIn(set), set.size]).toEqual([['a', 'c'], 2]);
    set.add(item('d'));
    set.delete(a);
    set.delete(a);
    expect([namesIn(set), set.size]).toEqual([['c', 'd'], 2]);
  });

  it('reuses slots', () => {
    const set = new IntrusiveSet<ReturnType<typeof item>>();
    for (let i = 0; i < 1000; i++) {
      const each = item(String(i));
      set.add(each);
      expect(each.slot).toBeLessThan(2);
      if (i > 0) set.delete(each);
    }
    expect(namesIn(set)).toEqual(['0']);
  });

  it('allows items to be deleted during an iteration', () => {
    const set = new IntrusiveSet<ReturnType<typeof item>>();
    for (const name of ['a', 'b', 'c']) set.add(item(name));
    set.forEach((each) => set.delete(each));
    expect([namesIn(set), set.size]).toEqual([[], 0]);
  });
});

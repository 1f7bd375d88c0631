import { SlotList } from './slot-list.js';

const item = (name: string) => ({ name, slot: -1 });

const namesIn = (list: SlotList<ReturnType<typeof item>>) => {
  const names: string[] = [];
  list.forEach(({ name }) => names.push(name));
  return names.sort();
};

describe('a list of slots', () => {
  it('holds what was added and not deleted', () => {
    const list = new SlotList<ReturnType<typeof item>>();
    const [a, b, c] = [item('a'), item('b'), item('c')];
    for (const each of [a, b, c]) list.add(each);
    list.delete(b);
    expect([namesIn(list), list.size]).toEqual([['a', 'c'], 2]);
    list.add(item('d'));
    list.delete(a);
    list.delete(a);
    expect([namesIn(list), list.size]).toEqual([['c', 'd'], 2]);
  });

  it('uses places again', () => {
    const list = new SlotList<ReturnType<typeof item>>();
    for (let i = 0; i < 1000; i++) {
      const each = item(String(i));
      list.add(each);
      expect(each.slot).toBeLessThan(2);
      if (i > 0) list.delete(each);
    }
    expect(namesIn(list)).toEqual(['0']);
  });

  it('bears items that go while it is visited', () => {
    const list = new SlotList<ReturnType<typeof item>>();
    for (const name of ['a', 'b', 'c']) list.add(item(name));
    list.forEach((each) => list.delete(each));
    expect([namesIn(list), list.size]).toEqual([[], 0]);
  });
});

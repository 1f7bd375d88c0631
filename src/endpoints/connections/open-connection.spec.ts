import { ArrivalOrder, Place } from './open-connection.js';

/** The remaining members, by repeatedly removing the first. */
function drained(order: ArrivalOrder<string>, places: Map<string, Place<string>>): string[] {
  const listed = [...order];
  expect(order.size).toBe(listed.length);
  const found: string[] = [];
  for (let next = order.first; next !== undefined; next = order.first) {
    found.push(next);
    order.leave(places.get(next)!);
  }
  expect([found, order.size]).toEqual([listed, 0]);
  return found;
}

test('members are ordered by when they last joined', () => {
  const order = new ArrivalOrder<string>();
  const places = new Map(['a', 'b', 'c', 'd'].map((name) => [name, new Place(name)]));
  const act = (what: 'join' | 'leave', names: string): void => [...names].forEach((name) => order[what](places.get(name)!));
  act('join', 'abcd');
  expect(drained(order, places)).toEqual(['a', 'b', 'c', 'd']);
  act('join', 'abcdadb');
  expect(drained(order, places)).toEqual(['c', 'a', 'd', 'b']);
  act('leave', 'abcd');
  act('join', 'aab');
  act('leave', 'a');
  act('leave', 'a');
  act('join', 'c');
  act('leave', 'b');
  expect(drained(order, places)).toEqual(['c']);
  expect(order.first).toBeUndefined();
});

import { TimeSlicer } from './time-slicer.js';

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('portions run in order, for a few milliseconds in each turn of the event loop', async () => {
  let now = 0;
  const turns = new TimeSlicer(() => now);
  const ran: string[] = [];
  const portion = (name: string, ms: number) =>
    turns.run(() => {
      ran.push(name);
      now += ms;
    });
  portion('a', 2);
  portion('b', 2);
  portion('c', 2);
  portion('d', 100);
  turns.run(() => portion('f', 1));
  portion('e', 1);
  expect(ran).toEqual([]);
  await turn();
  expect(ran).toEqual(['a', 'b', 'c']);
  await turn();
  expect(ran).toEqual(['a', 'b', 'c', 'd']);
  await turn();
  await turn();
  expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the values of an iterator are collected in portions, and others run in between', async () => {
  let now = 0;
  const turns = new TimeSlicer(() => now);
  const order: unknown[] = [];
  function* steps(name: string) {
    for (let step = 0; step < 4; step++) {
      now += 1;
      order.push(name);
      yield step;
    }
  }
  const both = Promise.all([turns.gather(steps('a')), turns.gather(steps('b'))]);
  await expect(both).resolves.toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
  expect(order).toEqual(['a', 'a', 'b', 'b', 'a', 'a', 'b', 'b']);
});

test('collection stops when the result is no longer wanted', async () => {
  let now = 0;
  const turns = new TimeSlicer(() => now++);
  function* endless() {
    for (let step = 0; ; step++) yield step;
  }
  let asked = 0;
  const gathered = await turns.gather(endless(), () => ++asked <= 2);
  expect(gathered.length).toBeGreaterThan(0);
  expect(asked).toBe(3);
});

test('an iterator that throws ends the collection', async () => {
  function* failing() {
    yield 1;
    throw new TypeError('no');
  }
  await expect(new TimeSlicer().gather(failing())).rejects.toThrow(TypeError);
});

test('the result or error of a portion is returned', async () => {
  const turns = new TimeSlicer();
  await expect(turns.do(() => 7)).resolves.toBe(7);
  await expect(
    turns.do(() => {
      throw new TypeError('no');
    }),
  ).rejects.toThrow(TypeError);
});

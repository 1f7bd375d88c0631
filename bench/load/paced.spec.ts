import { paced } from './paced.js';

it('counts a delayed request from its intended time of sending', async () => {
  const due: number[][] = [[], []];
  const sent: number[][] = [[], []];
  await paced(2, 0.02, 0.06, async (client, at) => {
    due[client]?.push(at);
    sent[client]?.push(performance.now());
    if (client === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  });
  expect(due.map(({ length }) => length)).toEqual([3, 3]);
  expect(due[0]?.map((at) => Math.round(at - (due[0]?.[0] ?? 0)))).toEqual([0, 20, 40]);
  const held = (sent[0]?.[2] ?? 0) - (due[0]?.[2] ?? 0);
  expect(held).toBeGreaterThan(60);
});

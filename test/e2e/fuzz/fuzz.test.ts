import { fuzz } from '../../fuzz/fuzz-run.js';

test('thousands of mutated requests violate no rule (npm run program fuzz sends more)', async () => {
  const { findings, requests, statuses } = await fuzz({ seed: 1, from: 0, to: 3000 });
  expect(findings).toEqual([]);
  expect(requests).toBe(3000);
  // The requests reach the intended code: some succeed, and every kind of refusal occurs.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '400', '401', '404', '405', '406', '409', '415', '422']));
});

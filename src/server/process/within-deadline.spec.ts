import { withinDeadline } from './within-deadline.js';

test('work that does not end in time is reported; other work is not', async () => {
  let late = false;
  await new Promise<void>((resolve) => {
    void withinDeadline(new Promise(() => undefined), resolve, 1);
  });
  await withinDeadline(Promise.resolve(), () => (late = true), 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(late).toBe(false);
});

import { Closers } from './closers.js';

test('what was started last stops first, one after the other, whatever fails', async () => {
  const order: string[] = [];
  const closers = new Closers();
  closers.push(() => void order.push('database'));
  closers.push(() => Promise.reject(new Error('stuck')));
  closers.push(async () => {
    order.push('requests begin');
    await Promise.resolve();
    order.push('requests end');
  });
  const errors: unknown[] = [];
  await closers.closeAll((error) => errors.push(error));
  expect(order).toEqual(['requests begin', 'requests end', 'database']);
  expect(errors).toEqual([new Error('stuck')]);
});

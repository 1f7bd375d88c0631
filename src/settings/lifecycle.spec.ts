import { pino } from 'pino';
import { Lifecycle } from './lifecycle.js';

const logged: string[] = [];
const lifecycle = () => new Lifecycle(pino({}, { write: (line: string) => void logged.push(line) }));

test('parts stop in reverse order, one after the other, and a failure is logged', async () => {
  const order: string[] = [];
  const parts = lifecycle();
  await parts.start(() => {
    parts.onStop(() => void order.push('database'));
    parts.onStop(() => Promise.reject(new Error('stuck')));
    parts.onStop(async () => {
      order.push('requests begin');
      await Promise.resolve();
      order.push('requests end');
    });
    return Promise.resolve();
  });
  await parts.stop();
  expect(order).toEqual(['requests begin', 'requests end', 'database']);
  expect(logged.join()).toMatch(/stuck/);
});

test('when a start fails, its parts are stopped, and a part opened later is stopped at once', async () => {
  const stopped: string[] = [];
  const parts = lifecycle();
  const start = parts.start(() => {
    parts.onStop(() => void stopped.push('opened before'));
    return Promise.reject(new Error('no'));
  });
  await expect(start).rejects.toThrow('no');
  expect(stopped).toEqual(['opened before']);
  parts.onStop(() => void stopped.push('opened after'));
  await parts.stop();
  expect(stopped).toEqual(['opened before', 'opened after']);
});

test('a start that is asked to stop ends at its next step', async () => {
  const parts = lifecycle();
  const start = parts.start(async () => {
    await Promise.resolve();
    parts.begin('opening');
  });
  await Promise.all([parts.stop(), expect(start).rejects.toThrow('stopped while starting')]);
});

import { type AskMetricsMessage, type MetricsMessage, MetricsExchange } from './worker-messages.js';

const metrics = [{ name: 'up', text: 'up 1' }];

function pair(tell: () => Promise<typeof metrics>): [MetricsExchange, MetricsExchange] {
  const deliver = (to: () => MetricsExchange) => (message: AskMetricsMessage | MetricsMessage) =>
    queueMicrotask(() => to().receive(message));
  const one: MetricsExchange = new MetricsExchange({ send: deliver(() => other), tell: () => Promise.resolve([]), timeoutMs: 60_000 });
  const other: MetricsExchange = new MetricsExchange({ send: deliver(() => one), tell, timeoutMs: 60_000 });
  return [one, other];
}

test('each request gets its own response', async () => {
  const [one, other] = pair(() => Promise.resolve(metrics));
  expect(await Promise.all([one.ask('main'), other.ask('main'), one.ask('slis')])).toEqual([metrics, [], metrics]);
});

test('a worker that fails, does not respond in time or is gone reports no metrics', async () => {
  const [one] = pair(() => Promise.reject(new Error('broken')));
  expect(await one.ask('main')).toEqual([]);
  const silent = (timeoutMs: number) => new MetricsExchange({ send: () => undefined, tell: () => Promise.resolve([]), timeoutMs });
  expect(await silent(1).ask('main')).toEqual([]);
  const gone = silent(60_000);
  const asked = gone.ask('main');
  gone.close();
  expect(await asked).toEqual([]);
});

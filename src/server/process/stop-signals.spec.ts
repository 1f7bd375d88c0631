import { onStopSignals, withinDeadline } from './stop-signals.js';

{
  const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = NAMES.map((name) => process.listeners(name));
  afterEach(() => {
    NAMES.forEach((name, at) => {
      for (const listener of process.listeners(name)) if (!before[at]?.includes(listener)) process.off(name, listener);
    });
  });

  test('the first signal stops, its duplicate is ignored, and a later one aborts', () => {
    let now = 0;
    const seen: string[] = [];
    onStopSignals({ stop: (signal) => seen.push(`stop ${signal}`), abort: (signal) => seen.push(`abort ${signal}`) }, () => now);
    process.emit('SIGINT', 'SIGINT');
    now += 20;
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGTERM', 'SIGTERM');
    expect(seen).toEqual(['stop SIGINT']);
    now += 2000;
    process.emit('SIGINT', 'SIGINT');
    expect(seen).toEqual(['stop SIGINT', 'abort SIGINT']);
  });
}

test('work that does not end in time is reported; other work is not', async () => {
  let late = false;
  await new Promise<void>((resolve) => {
    void withinDeadline(new Promise(() => undefined), resolve, 1);
  });
  await withinDeadline(Promise.resolve(), () => (late = true), 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(late).toBe(false);
});

import { onStopSignals } from './stop-signals.js';

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

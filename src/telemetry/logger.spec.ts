import { createLogger, formatLogLine } from './logger.js';

test('a text line has time, level, message and fields, followed by the stack', () => {
  const line = {
    level: 'warn',
    time: Date.UTC(2030, 0, 1),
    pid: 1,
    hostname: 'h',
    msg: 'slow',
    ms: 7,
    of: { a: 1 },
    err: { stack: 'Error: x\n    at y' },
  };
  expect(formatLogLine(JSON.stringify(line))).toMatch(/^\d\d:\d\d:\d\d WARN {2}slow ms=7 of=\{"a":1\}\nError: x\n {4}at y$/);
});

test('client input cannot move the cursor of a terminal', () => {
  const line = {
    level: 'error',
    time: 0,
    msg: 'failed',
    path: '/a\u001b[2J\nb\u009b\u202e',
    err: { stack: 'Error: \u001b[31m\n    at y' },
  };
  const text = formatLogLine(JSON.stringify(line));
  expect(text).toContain('path=/a\\u{1b}[2J\\u{a}b\\u{9b}\\u{202e}\n');
  expect(text.endsWith('Error: \\u{1b}[31m\n    at y')).toBe(true);
});

test("klog's verbosity makes the logger log more, never less", () => {
  const level = (v: number, logLevel: 'trace' | 'info' | 'error') => createLogger({ logLevel, v }).level;
  expect([level(0, 'info'), level(3, 'error'), level(4, 'info'), level(8, 'info'), level(4, 'trace')]).toEqual([
    'info',
    'error',
    'debug',
    'trace',
    'trace',
  ]);
});

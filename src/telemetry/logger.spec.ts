import { formatLogLine } from './logger.js';

test('a line for people has time, level, message and fields, and a stack below', () => {
  const line = {
    level: 40,
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

import { pino } from 'pino';
import { LineBudget, LogLimits, createLogger, formatLogLine } from './logger.js';

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

interface Line {
  readonly msg: string;
  readonly path?: string;
  readonly suppressed?: number;
  readonly sinceLastStack?: number;
  readonly err?: { readonly message: string; readonly stack?: string; readonly stackShown?: string };
}

let nowMs = 1_000_000;
let lines: Line[] = [];
let bytes = 0;

function logger() {
  [lines, bytes] = [[], 0];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Line);
    bytes += line.length;
  };
  return pino({ level: 'debug', ...new LogLimits(() => nowMs).options() }, { write });
}

/** An error from one place in the code, with text chosen by a client. */
const failure = (text: string): Error => new Error(`no handler is bound to ${text}`);

test('lines of one kind are limited per second, and other kinds have their own limit', () => {
  const log = logger();
  for (let i = 0; i < 1000; i++) log.warn({ i }, 'refused');
  log.info('other');
  expect(lines).toHaveLength(21);
  nowMs += 1000;
  log.warn('refused');
  expect(lines.at(-1)).toMatchObject({ msg: 'refused', suppressed: 980 });
});

test('a stack is shown once per period, whatever the message says', () => {
  const log = logger();
  const begun = nowMs;
  for (const atMs of [...Array.from({ length: 50 }, (_, i) => i * 200), 70_000]) {
    nowMs = begun + atMs;
    log.error({ err: failure(`/${atMs}`), auditId: `${atMs}` }, 'request failed');
  }
  expect(lines).toHaveLength(51);
  expect(lines.flatMap(({ err }, at) => (err?.stack ? at : []))).toEqual([0, 50]);
  expect(lines[7]?.err).toMatchObject({ message: 'no handler is bound to /1400', stackShown: expect.any(String) as string });
  expect(lines.at(-1)).toMatchObject({ sinceLastStack: 49 });
});

test('no field is longer than its limit', () => {
  const log = logger();
  log.debug({ path: 'x'.repeat(1_000_000) }, 'request');
  expect(lines[0]?.path).toHaveLength(1025);
});

test('the number of remembered kinds and stacks is bounded', () => {
  const log = logger();
  for (let i = 0; i < 5000; i++) log.info(`kind ${i}`);
  expect(lines).toHaveLength(5000);
  log.info('kind 4999');
  expect(lines).toHaveLength(5001);
});

test('a flood of failures makes less log than its own bytes', () => {
  const log = logger();
  for (let i = 0; i < 10_000; i++) log.error({ err: failure('/x'), auditId: 'a'.repeat(64) }, 'request failed');
  expect(bytes).toBeLessThan(10_000);
});

test('each second has a budget of lines, and the next line reports how many were suppressed', () => {
  const budget = new LineBudget(2);
  expect([budget.take(0), budget.take(10), budget.take(20), budget.take(999)]).toEqual([0, 0, undefined, undefined]);
  expect([budget.take(1000), budget.take(1001)]).toEqual([2, 0]);
});

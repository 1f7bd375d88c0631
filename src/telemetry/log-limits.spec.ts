import { pino } from 'pino';
import { LogLimits } from './log-limits.js';

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

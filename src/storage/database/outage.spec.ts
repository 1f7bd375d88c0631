import pg from 'pg';
import { pino } from 'pino';
import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { StorageError } from '../storage-errors.js';
import { Outage } from './outage.js';

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly seconds?: number;
  readonly failures?: number;
  readonly reason?: string;
}

const trouble = () => new StorageError('Unavailable', 'not now', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });

function begin() {
  const lines: Line[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const scheduler = new ManualScheduler();
  const outage = new Outage(logger, scheduler);
  const database = { works: false };
  outage.start(() => (database.works ? Promise.resolve() : Promise.reject(new Error('still refused'))));
  return { lines, quiet: outage.quieting(logger), scheduler, database, outage, messages: () => lines.map(({ msg }) => msg) };
}

test('an outage of 97 seconds is three lines: at the start, after a minute, and at the end with the duration', async () => {
  const { lines, quiet, scheduler, database, messages } = begin();
  for (let second = 0; second < 97; second++) {
    for (let i = 0; i < 20; i++) quiet.error({ err: trouble(), auditId: `${second}-${i}` }, 'request failed');
    await scheduler.pass(1000);
  }
  database.works = true;
  await scheduler.pass(5000);
  expect(messages()).toEqual([
    'the database is unavailable: requests that need it wait, and after three seconds get 503 at once until it is back',
    'the database is still unavailable',
    'the database is available again',
  ]);
  expect(lines.map(({ level }) => level)).toEqual([40, 40, 30]);
  expect(lines[0]?.reason).toBe('refused');
  expect(lines[1]).toMatchObject({ seconds: 60, reason: 'still refused' });
  expect(lines[2]).toMatchObject({ seconds: 98, failures: 1939 });
  expect(scheduler.pending).toBe(0);
});

test('a failure that persists while the probe succeeds is one line a minute, and does not end', async () => {
  const { quiet, scheduler, database, messages } = begin();
  database.works = true;
  for (let at = 0; at < 90_000; at += 500) {
    quiet.warn({ err: trouble() }, 'x');
    await scheduler.pass(500);
  }
  expect(messages()).toHaveLength(2);
});

test('a refused login during an outage is logged at once, and once', async () => {
  const { lines, quiet, scheduler, outage } = begin();
  let probe = new Error('connection refused');
  outage.start(() => Promise.reject(probe));
  quiet.error({ err: trouble() }, 'request failed');
  await scheduler.pass(2000);
  expect(lines).toHaveLength(1);
  const refused = Object.assign(new pg.DatabaseError('password authentication failed', 1, 'error'), { code: '28P01' });
  probe = new StorageError('Unavailable', 'not now', { cause: refused });
  await scheduler.pass(20_000);
  expect(lines.map(({ reason }) => reason)).toEqual(['refused', 'password authentication failed']);
});

test('other lines are logged unchanged', () => {
  const { quiet, lines } = begin();
  quiet.error({ err: new TypeError('a fault of ours') }, 'request failed');
  quiet.warn('no fields');
  quiet.warn({ file: 'x' }, 'fields');
  quiet.info({ err: trouble() }, 'information');
  expect(lines.map(({ msg, level }) => [msg, level])).toEqual([
    ['request failed', 50],
    ['no fields', 40],
    ['fields', 40],
    ['information', 30],
  ]);
});

test('refused requests do not prolong an outage', async () => {
  const { quiet, scheduler, database, messages } = begin();
  quiet.error({ err: trouble() }, 'request failed');
  await scheduler.pass(1000);
  database.works = true;
  for (let at = 0; at < 3000; at += 500) {
    quiet.error({ err: new Error('503', { cause: new StorageError('Unavailable', 'known', { refused: true }) }) }, 'request failed');
    await scheduler.pass(500);
  }
  expect(messages().slice(1)).toEqual(['the database is available again']);
});

test('while the server stops during an outage, nothing is logged about it', async () => {
  const { quiet, scheduler, messages, outage } = begin();
  quiet.warn({ err: trouble() }, 'cannot read changes');
  outage.stop();
  for (let second = 0; second < 5; second++) {
    quiet.warn({ err: trouble() }, 'cannot read changes');
    await scheduler.pass(1000);
  }
  expect(messages()).toHaveLength(1);
});

test('while the server stops, the first failure of each kind is logged', () => {
  const { quiet, messages, outage } = begin();
  outage.stop();
  for (let second = 0; second < 5; second++) {
    quiet.warn({ err: trouble() }, 'cannot read changes');
    quiet.error({ err: trouble() }, 'request failed');
    quiet.error({ err: new TypeError('a fault of ours') }, 'fault');
  }
  expect(messages()).toEqual(['cannot read changes', 'request failed', ...Array<string>(5).fill('fault')]);
});

test('after the end the next failure is logged again, also while the server stops', async () => {
  const { quiet, scheduler, database, messages, outage } = begin();
  database.works = true;
  quiet.warn({ err: trouble() }, 'x');
  await scheduler.pass(3000);
  quiet.warn({ err: trouble() }, 'x');
  expect(messages()).toHaveLength(3);
  await scheduler.pass(3000);
  outage.stop();
  quiet.warn({ err: trouble() }, 'closing');
  expect(messages().slice(3)).toEqual(['the database is available again', 'closing']);
  expect(scheduler.pending).toBe(0);
});

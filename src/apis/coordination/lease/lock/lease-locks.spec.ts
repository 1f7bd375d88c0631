import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { WaitingLines } from './lease-locks.js';

const never = new AbortController().signal;

it('runs tasks one after the other, in order, and skips those given up', async () => {
  const lines = new WaitingLines();
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string, signal = never): Promise<void> =>
    lines.inTurn('lock', signal, async () => {
      log.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const stop = new AbortController();
  const first = enter('first');
  const second = enter('second', stop.signal);
  const third = enter('third');
  await lines.inTurn('other', never, () => Promise.resolve(log.push('other')));
  stop.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  await turn();
  expect(log).toEqual(['first', 'other']);
  ends.get('first')?.();
  await first;
  await turn();
  expect(log).toEqual(['first', 'other', 'third']);
  ends.get('third')?.();
  await third;
  await lines.inTurn('lock', never, () => Promise.resolve());
});

it('continues after a failed task', async () => {
  const lines = new WaitingLines();
  await expect(lines.inTurn('lock', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await lines.inTurn('lock', never, () => Promise.resolve('yes'))).toBe('yes');
});

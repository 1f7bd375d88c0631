import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ExclusiveTurn } from './exclusive-turn.js';

describe('ExclusiveTurn', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'turn-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('a second run waits until the first releases its turn', async () => {
    const [first, second] = [new ExclusiveTurn(folder), new ExclusiveTurn(folder)];
    const order: string[] = [];
    await first.take();
    const waiting = second.take().then(() => order.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 120));
    order.push('first');
    first.release();
    await waiting;
    expect(order).toEqual(['first', 'second']);
  });

  test('releasing twice does not end the turn of another run', async () => {
    const [first, second] = [new ExclusiveTurn(folder), new ExclusiveTurn(folder)];
    await first.take();
    first.release();
    await second.take();
    first.release();
    const taking = first.take().then(() => 'taken');
    const outcome = await Promise.race([taking, new Promise((resolve) => setTimeout(() => resolve('waits'), 120))]);
    expect(outcome).toBe('waits');
    second.release();
    await taking;
  });

  test('the turn of a process that has ended is free', async () => {
    writeFileSync(path.join(folder, 'turn'), '2147483646');
    await expect(new ExclusiveTurn(folder).take()).resolves.toBeUndefined();
  });
});

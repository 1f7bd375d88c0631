import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LargeTurns } from './large-turns.js';

describe('turns of large bodies', () => {
  it('come one at a time, and to each owner in turn', async () => {
    const turns = new LargeTurns();
    const [many, one] = [{}, {}];
    const begun: string[] = [];
    let inThisTurn = 0;
    await new Promise<void>((resolve) => {
      const work = (name: string) => () => {
        begun.push(name);
        expect(++inThisTurn).toBe(1);
        void nextTurn().then(() => (inThisTurn = 0));
        if (begun.length === 4) resolve();
      };
      for (const name of ['a1', 'a2', 'a3']) turns.wait(many, work(name));
      turns.wait(one, work('b'));
    });
    expect(begun).toEqual(['a1', 'b', 'a2', 'a3']);
  });

  it('go on after work that comes later', async () => {
    const turns = new LargeTurns();
    for (let count = 0; count < 2; count++) await new Promise<void>((resolve) => turns.wait(turns, resolve));
  });
});

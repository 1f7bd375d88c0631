import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to. */
function start(turns: Turns) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, owner?: string, signal?: AbortSignal) =>
    turns.take(
      () => {
        began.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      { owner, signal },
    );
  return { began, run, end: (name: string) => ends.get(name)?.() };
}

describe('turns', () => {
  it('let some work of each owner run at once, and the rest in the order in which it came', async () => {
    const turns = new Turns(2);
    const { began, run, end } = start(turns);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, 'a');
    void run('b1', 'b');
    expect([began, turns.waiting('a'), turns.isFree('a'), turns.isFree('b')]).toEqual([['a1', 'a2', 'b1'], 2, false, true]);
    end('a2');
    await settled();
    end('a1');
    await settled();
    expect(began).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    for (const name of ['a3', 'a4', 'b1']) end(name);
    await settled();
    expect([turns.waiting('a'), turns.isFree('a')]).toEqual([0, true]);
  });

  it('pass from work that fails to the next', async () => {
    const turns = new Turns(1);
    const failing = turns.take(() => Promise.reject(new Error('failed')));
    const next = turns.take(() => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('next');
  });

  it('are not waited for by those who have been aborted', async () => {
    const turns = new Turns(1);
    const { began, run, end } = start(turns);
    const gone = new AbortController();
    void run('first');
    const waiting = run('gone', undefined, gone.signal);
    void run('last');
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(run('late', undefined, gone.signal)).rejects.toThrow('gone');
    end('first');
    await settled();
    expect(began).toEqual(['first', 'last']);
  });
});

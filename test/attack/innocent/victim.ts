import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { forkScript, killChild } from '../child-processes.js';
import type { VictimFigures } from './victim-figures.js';

/** The innocent client, in a separate process so that only the machine and the server delay it. */
export class Victim {
  readonly #child: ChildProcess;

  constructor(url: string) {
    this.#child = forkScript('innocent/victim-process.ts', [url]);
  }

  /** The figures since the last call. */
  async collect(): Promise<VictimFigures> {
    const answer = once(this.#child, 'message');
    this.#child.send('collect');
    const [figures] = (await answer) as [VictimFigures];
    return figures;
  }

  stop(): Promise<void> {
    return killChild(this.#child);
  }
}

import type { Random } from '../../fuzz/random.js';
import type { SimulatedProcess } from './simulated-process.js';

/** Where the wall clocks of servers and clients stand that elect or lock: each is wrong in its own way, steps, and stands still at times. */
export class WallClocks {
  readonly #random: Random;
  readonly #clocks = new WeakMap<SimulatedProcess, { offset: number; stopped?: number }>();

  constructor(random: Random) {
    this.#random = random;
  }

  now(process: SimulatedProcess): number {
    const clock = this.#clocks.get(process) ?? { offset: this.#anyOffset() };
    this.#clocks.set(process, clock);
    if (this.#random.chance(0.02)) clock.offset = this.#anyOffset();
    if (this.#random.chance(0.02)) clock.stopped = clock.stopped === undefined ? Date.now() + clock.offset : undefined;
    return clock.stopped ?? Date.now() + clock.offset;
  }

  #anyOffset(): number {
    return this.#random.below(1_200_000) - 600_000;
  }
}

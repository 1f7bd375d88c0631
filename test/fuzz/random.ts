/** A seeded random generator (mulberry32): the same seed and stream produce the same choices on every machine. */
export class Random {
  #state: number;

  constructor(seed: number, stream = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
    this.next();
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to but excluding the bound. */
  below(bound: number): number {
    return bound <= 1 ? 0 : this.next() % bound;
  }

  /** From 0 up to but excluding 1. */
  fraction(): number {
    return this.next() / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Mostly small, sometimes up to the bound. */
  size(bound: number): number {
    return this.below(this.chance(0.9) ? Math.min(bound, 8) : bound);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

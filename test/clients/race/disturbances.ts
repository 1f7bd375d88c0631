import { setTimeout as sleep } from 'node:timers/promises';
import type { RaceContestant } from './race-contestant.js';

interface Span {
  readonly least: number;
  readonly most: number;
}

/** In milliseconds. */
export interface Pace {
  /** From one disturbance to the next. */
  readonly every: Span;
  /** How long a contestant is paused or cut off: longer than a lease lasts, or shorter. */
  readonly stopped: Span;
}

const USUAL: Pace = { every: { least: 20, most: 300 }, stopped: { least: 500, most: 6000 } };

/** Kills, pauses and cuts off contestants, holders above all, at random times. */
export class Disturbances {
  readonly counts = { killed: 0, paused: 0, 'cut off': 0 };
  readonly #contestants: readonly RaceContestant[];
  readonly #holders: () => readonly string[];
  readonly #pace: Pace;
  readonly #busy = new Set<RaceContestant>();
  readonly #inFlight: Promise<void>[] = [];

  constructor(contestants: readonly RaceContestant[], holders: () => readonly string[], pace = USUAL) {
    this.#pace = pace;
    this.#contestants = contestants;
    this.#holders = holders;
  }

  /** Resolves when the last one is over. */
  async until(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      await sleep(between(this.#pace.every));
      const victim = this.#victim();
      if (victim) this.#inFlight.push(this.#disturb(victim));
    }
    await Promise.all(this.#inFlight);
  }

  #victim(): RaceContestant | undefined {
    const holders = this.#holders();
    const free = this.#contestants.filter((each) => !this.#busy.has(each));
    const holding = free.filter(({ identity }) => holders.some((holder) => holder.startsWith(identity)));
    const among = Math.random() < 0.7 && holding.length > 0 ? holding : free;
    return among[Math.floor(Math.random() * among.length)];
  }

  async #disturb(victim: RaceContestant): Promise<void> {
    const which = Math.floor(Math.random() * 3);
    this.#busy.add(victim);
    try {
      if (which === 0) await this.#kill(victim);
      else if (which === 1) await this.#pause(victim);
      else await this.#cutOff(victim);
    } finally {
      this.#busy.delete(victim);
    }
  }

  async #kill(victim: RaceContestant): Promise<void> {
    this.counts.killed++;
    await victim.kill();
    victim.start();
  }

  async #pause(victim: RaceContestant): Promise<void> {
    this.counts.paused++;
    victim.pause();
    await sleep(between(this.#pace.stopped));
    victim.resume();
  }

  async #cutOff({ place: { proxy } }: RaceContestant): Promise<void> {
    this.counts['cut off']++;
    proxy.mute();
    await sleep(between(this.#pace.stopped));
    proxy.resetAll();
    proxy.heal();
  }
}

function between({ least, most }: Span): number {
  return least + Math.random() * (most - least);
}

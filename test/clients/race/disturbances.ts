import { setTimeout as sleep } from 'node:timers/promises';
import type { RaceContestant } from './race-contestant.js';

const PAUSE_MS = { least: 20, most: 300 };
/** Longer than a lease lasts, or shorter. */
const STOPPED_MS = { least: 500, most: 6000 };

/** Kills, pauses and cuts off contestants, holders above all, at random times. */
export class Disturbances {
  readonly counts = { killed: 0, paused: 0, 'cut off': 0 };
  readonly #contestants: readonly RaceContestant[];
  readonly #holders: () => readonly string[];
  readonly #busy = new Set<unknown>();
  readonly #inFlight: Promise<void>[] = [];

  constructor(contestants: readonly RaceContestant[], holders: () => readonly string[]) {
    this.#contestants = contestants;
    this.#holders = holders;
  }

  /** Resolves when the last one is over. */
  async until(end: number, signal?: AbortSignal): Promise<void> {
    while (performance.now() < end && !signal?.aborted) {
      await sleep(between(PAUSE_MS));
      const victim = this.#victim();
      if (victim) this.#inFlight.push(this.#disturb(victim));
    }
    await Promise.all(this.#inFlight);
  }

  #victim(): RaceContestant | undefined {
    const holders = this.#holders();
    const free = this.#contestants.filter((each) => !this.#busy.has(each) && !this.#busy.has(each.place.proxy));
    const holding = free.filter(({ identity }) => holders.some((holder) => holder.startsWith(identity)));
    const among = Math.random() < 0.7 && holding.length > 0 ? holding : free;
    return among[Math.floor(Math.random() * among.length)];
  }

  async #disturb(victim: RaceContestant): Promise<void> {
    const which = Math.floor(Math.random() * 3);
    const subject = which === 2 ? victim.place.proxy : victim;
    this.#busy.add(subject);
    try {
      if (which === 0) await this.#kill(victim);
      else if (which === 1) await this.#pause(victim);
      else await this.#cutOff(victim);
    } finally {
      this.#busy.delete(subject);
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
    await sleep(between(STOPPED_MS));
    victim.resume();
  }

  /** And all that share its proxy. */
  async #cutOff({ place: { proxy } }: RaceContestant): Promise<void> {
    this.counts['cut off']++;
    proxy.cut();
    await sleep(between(STOPPED_MS));
    proxy.heal();
  }
}

function between({ least, most }: { readonly least: number; readonly most: number }): number {
  return least + Math.random() * (most - least);
}

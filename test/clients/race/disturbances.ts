import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from './kinds.js';
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
  /** How many of the disturbances are for holders if there are any: 1 spares all others. */
  readonly ofHolders?: number;
}

/** Each contestant is disturbed every 20 s, on average. */
const usualPace = (contestants: number): Pace => ({
  every: { least: 2500 / contestants, most: 37_500 / contestants },
  stopped: { least: 500, most: 6000 },
});
const OF_HOLDERS = 0.7;

const WAYS = ['released', 'killed', 'paused', 'cut off'] as const;
export type Disturbance = (typeof WAYS)[number];

/** Kills, pauses, cuts off and tells to stop contestants, holders above all, at random times; those of a kind in each of these ways in turn. */
export class Disturbances {
  readonly counts: Record<Disturbance, number> = { killed: 0, paused: 0, 'cut off': 0, released: 0 };
  /** Those of contestants that led. */
  readonly ofLeaders: Record<Disturbance, number> = { ...this.counts };
  readonly #contestants: readonly RaceContestant[];
  readonly #holders: () => readonly string[];
  readonly #pace: Pace;
  readonly #rounds = new Map<Kind, number>();
  readonly #busy = new Set<RaceContestant>();
  readonly #inFlight: Promise<void>[] = [];

  constructor(contestants: readonly RaceContestant[], holders: () => readonly string[], pace?: Pace) {
    this.#pace = pace ?? usualPace(contestants.length);
    this.#contestants = contestants;
    this.#holders = holders;
  }

  /** Resolves when the last one is over. */
  async until(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      await sleep(between(this.#pace.every));
      const victim = this.#victim();
      if (!victim) continue;
      const disturbed = this.#disturb(victim);
      disturbed.catch(() => undefined); // awaited below
      this.#inFlight.push(disturbed);
    }
    await Promise.all(this.#inFlight);
  }

  #victim(): RaceContestant | undefined {
    const holders = this.#holders();
    const free = this.#contestants.filter((each) => !this.#busy.has(each));
    const holding = free.filter(({ identity }) => holders.some((holder) => holder.startsWith(identity)));
    const { ofHolders = OF_HOLDERS } = this.#pace;
    const among = ofHolders === 1 || (Math.random() < ofHolders && holding.length > 0) ? holding : free;
    return among[Math.floor(Math.random() * among.length)];
  }

  #next({ kind, canRelease }: RaceContestant, leads: boolean): Disturbance {
    // a program that has just started is not yet ready to be told
    const possible = WAYS.filter((way) => way !== 'released' || (leads && canRelease));
    const round = this.#rounds.get(kind) ?? 0;
    this.#rounds.set(kind, round + 1);
    return possible[round % possible.length] as Disturbance;
  }

  async #disturb(victim: RaceContestant): Promise<void> {
    const leads = victim.leadsAs !== undefined;
    const disturbance = this.#next(victim, leads);
    this.counts[disturbance]++;
    if (leads) this.ofLeaders[disturbance]++;
    this.#busy.add(victim);
    try {
      if (disturbance === 'killed') await this.#end(victim, () => victim.kill());
      else if (disturbance === 'released') await this.#end(victim, () => victim.release());
      else if (disturbance === 'paused') await this.#pause(victim);
      else await this.#cutOff(victim);
    } finally {
      this.#busy.delete(victim);
    }
  }

  async #end(victim: RaceContestant, end: () => Promise<void>): Promise<void> {
    await end();
    victim.start();
  }

  async #pause(victim: RaceContestant): Promise<void> {
    victim.pause();
    await sleep(between(this.#pace.stopped));
    victim.resume();
  }

  async #cutOff({ proxy }: RaceContestant): Promise<void> {
    proxy.mute();
    await sleep(between(this.#pace.stopped));
    proxy.resetAll();
    proxy.heal();
  }
}

function between({ least, most }: Span): number {
  return least + Math.random() * (most - least);
}

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attacker } from '../../attack/attacker.js';
import { Victim } from '../../attack/innocent/victim.js';
import { type OwnTarget, startOwnTarget } from '../../attack/target/own-target.js';
import { prepareTarget } from '../../attack/target/prepare-target.js';
import type { Cost, Work } from './cost-bounds.js';
import type { CostSequence } from './cost-sequence.js';
import { InspectedProcess } from './inspected-process.js';
import { playSequence } from './play-sequence.js';
import { sequenceOf } from './sequence-generator.js';

export interface CostTimes {
  /** Duration of the innocent client's measurement before each sequence. */
  readonly baselineMs: number;
  /** How long an attacker's connections stay open after the last step. */
  readonly holdMs: number;
}

const TIMES: CostTimes = { baselineMs: 1500, holdMs: 1500 };
/** Time for work that ended connections leave behind. */
const QUIET_MS = 300;
const PLAY_SECONDS = 20;
/** Number of sequences run first, so that later ones find compiled code and filled caches. */
const WARM_UP = 3;
const LEASES = 50;
const MEMORY_MIB = 1024;

export interface Measured {
  readonly work: Work;
  readonly cost: Cost;
}

/** A server with an innocent client, and the costs that hostile clients cause them. */
export class CostBench {
  readonly #target: OwnTarget;
  readonly #process: InspectedProcess;
  readonly #victim: Victim;
  /** CPU used for the innocent client, in microseconds per millisecond. */
  #idleShare = Infinity;
  readonly [Symbol.asyncDispose] = () => this.stop();

  private constructor(target: OwnTarget, process: InspectedProcess) {
    this.#target = target;
    this.#process = process;
    this.#victim = new Victim(target.url);
  }

  /** `checkout` must be built. */
  static async start(checkout: string): Promise<CostBench> {
    const target = await startOwnTarget({ checkout, memoryMiB: MEMORY_MIB, flags: [], nodeFlags: ['--inspect=127.0.0.1:0'] });
    try {
      await prepareTarget(target.url, LEASES);
      const url = /Debugger listening on (ws:\S+)/.exec(readFileSync(target.logFile, 'utf8'))?.[1] ?? '';
      const bench = new CostBench(target, await InspectedProcess.connect(url));
      for (let seed = 0; seed < WARM_UP && !bench.isDead; seed++) await bench.#play(sequenceOf(seed), 0);
      return bench;
    } catch (error) {
      await target.stop();
      throw error;
    }
  }

  get isDead(): boolean {
    return this.#target.death() !== undefined;
  }

  async measure(sequence: CostSequence, { baselineMs, holdMs } = TIMES): Promise<Measured> {
    const idle = await this.#usage();
    await this.#victim.collect();
    await sleep(baselineMs);
    const baseline = await this.#victim.collect();
    const start = await this.#usage();
    // Work left by an earlier sequence must not be counted as the cost of idling.
    this.#idleShare = Math.min(this.#idleShare, (start.cpuMicros - idle.cpuMicros) / baselineMs);
    const before = await this.#bytes();
    const began = performance.now();
    const cpuBefore = (await this.#usage()).cpuMicros;

    const { work, attacker } = await this.#play(sequence, holdMs);
    const cpuMicros = (await this.#usage()).cpuMicros - cpuBefore - this.#idleShare * (performance.now() - began);
    const victim = await this.#victim.collect();
    const retained = (await this.#bytes()) - before;
    attacker.closeAll();
    await sleep(QUIET_MS);
    const left = (await this.#bytes()) - before;
    const errors = victim.requests.errors + victim.newcomers.errors;
    const latencies = { victimP99Ms: victim.requests.p99, victimErrors: errors, baselineP99Ms: baseline.requests.p99 };
    const death = this.#target.death();
    // A process that has ended has no figures.
    const figures = death === undefined ? { cpuMicros: Math.max(0, cpuMicros), retained, left } : { cpuMicros: 0, retained: 0, left: 0 };
    return { work, cost: { ...figures, ...latencies, death } };
  }

  async stop(): Promise<void> {
    this.#process.close();
    await this.#victim.stop();
    await this.#target.stop();
  }

  async #play(sequence: CostSequence, holdMs: number): Promise<{ readonly work: Work; readonly attacker: Attacker }> {
    const attacker = new Attacker({ url: this.#target.url, seed: 1, seconds: PLAY_SECONDS, isForeign: false });
    const { meter } = attacker;
    let work: Work = { bytes: 0, connections: 0, requests: 0, writes: 0 };
    try {
      const late = sleep(PLAY_SECONDS * 1000, undefined, { ref: false });
      work = (await Promise.race([playSequence(sequence, attacker), late])) ?? work;
    } catch {
      meter.refused++;
    }
    await sleep(holdMs);
    if (holdMs === 0) attacker.closeAll();
    return { work: { ...work, bytes: meter.bytesSent, connections: meter.connections }, attacker };
  }

  async #usage(): Promise<{ readonly cpuMicros: number; readonly bytes: number }> {
    return (await this.#process.usage()) ?? { cpuMicros: 0, bytes: 0 };
  }

  async #bytes(): Promise<number> {
    await this.#process.collectGarbage();
    return (await this.#usage()).bytes;
  }
}

import type { Scheduler } from '../../../src/time/scheduler.js';
import { Random } from '../../fuzz/random.js';
import { type QueuedEvent, EventQueue } from './event-queue.js';
import type { SimulatedProcess } from './simulated-process.js';

/** A violation. */
export class Finding extends Error {
  override readonly name = 'Finding';

  constructor(message: string) {
    super(message.replace(/,"padding":"x*"/g, ''));
  }
}

/** Start of the simulated wall clock. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
const turn = setImmediate;

/**
 * The time and random numbers of one history. One event runs at a time, with all microtasks that it triggers, and belongs to a process.
 * Events that it schedules belong to the same process, and end or pause with it. The seed alone therefore determines what happens.
 */
export class World {
  readonly random: Random;
  readonly lines: string[] | undefined;
  steps = 0;
  current: SimulatedProcess | undefined;
  /** Checks everything before each event. */
  beforeStep: (() => void) | undefined;
  readonly #seed: number;
  readonly #queue = new EventQueue();
  #now = 0;
  #order = 0;
  #streams = 0;
  #findings: Error[] = [];

  /** `traced`: keeps a line for each notable event. */
  constructor(seed: number, traced = false) {
    this.#seed = seed;
    this.random = this.stream();
    this.lines = traced ? [] : undefined;
  }

  /** An independent random stream, unaffected by others. */
  stream(): Random {
    return new Random(this.#seed, this.#streams++);
  }

  /** True time in milliseconds. */
  now(): number {
    return this.#now;
  }

  /** The steady clock of a process. */
  steadyMs(process = this.current): number {
    return this.#now * (process?.rate ?? 1);
  }

  /** The steady clock of a process, and its timers. */
  clockOf(process: SimulatedProcess): Scheduler {
    return { now: () => this.steadyMs(process), after: (ms, run) => this.after(ms / process.rate, run, process) };
  }

  /** A rate of a steady clock: two of them differ by less than the margin of holders. */
  someRate(): number {
    return 1 + (this.fraction() - 0.5) * 0.06;
  }

  /** The wall clock of the current process. */
  wallMs(skewMs = this.current?.skewMs ?? 0): number {
    return EPOCH_MS + this.#now + skewMs;
  }

  /** `owner` is the process the event belongs to; null for none. */
  after(ms: number, run: () => void, owner: SimulatedProcess | null | undefined = this.current): () => void {
    const due = this.#now + Math.max(0, ms);
    const event: QueuedEvent = { at: due, due, order: this.#order++, owner: owner ?? undefined, run };
    this.#queue.push(event);
    return () => (event.run = undefined);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** A number from 0 to below 1. */
  fraction(): number {
    return this.random.next() / 0x1_0000_0000;
  }

  trace(text: () => string): void {
    this.lines?.push(`${this.#now.toFixed(2).padStart(9)} ${(this.current?.name ?? '').padEnd(10)} ${text()}`);
  }

  /** Ends the history. */
  report(finding: unknown): void {
    this.#findings.push(finding instanceof Error ? finding : new Error(String(finding)));
  }

  get finding(): Error | undefined {
    return this.#findings[0];
  }

  /** Runs all events up to a moment, or until something is found. */
  run(until: number): Promise<void> {
    return new Promise((resolve) => {
      const next = () => {
        const event = this.#findings.length > 0 ? undefined : this.#next(until);
        if (!event) return resolve();
        this.#run(event);
        turn(next);
      };
      turn(next);
    });
  }

  #next(until: number): QueuedEvent | undefined {
    for (let event = this.#queue.pop(); event; event = this.#queue.pop()) {
      const { owner } = event;
      if (event.run === undefined || owner?.alive === false) continue;
      if (event.at > until) {
        this.#queue.push(event);
        this.#now = until;
        return undefined;
      }
      if (owner && owner.pausedUntil > event.at) {
        event.at = owner.pausedUntil;
        this.#queue.push(event);
        continue;
      }
      return event;
    }
    this.#now = until;
    return undefined;
  }

  #run(event: QueuedEvent): void {
    this.#now = Math.max(this.#now, event.at);
    this.steps++;
    this.current = event.owner;
    try {
      this.beforeStep?.();
      event.run?.();
    } catch (error) {
      this.report(error);
    }
  }
}

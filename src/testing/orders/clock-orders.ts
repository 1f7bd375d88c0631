import { IsDefined } from 'class-validator';
import type { ServerTime, TestDuration } from '../test-server.js';
import type { TestTime } from '../test-time.js';
import { durationOf } from './order-values.js';

const LONGEST_MOVE_MS = 24 * 3_600_000;

export class ClockMove {
  @IsDefined({ message: 'by is missing: how far to move the clock, such as 20s' })
  by!: TestDuration;
}

/** Orders about the server's time. */
export class ClockOrders {
  readonly #time: TestTime;
  #moving: Promise<unknown> = Promise.resolve();

  constructor(time: TestTime) {
    this.#time = time;
  }

  /** One after the other, in the order of the calls. */
  async move({ by }: ClockMove): Promise<ServerTime> {
    const ms = durationOf('by', by, LONGEST_MOVE_MS);
    this.#moving = this.#moving.then(() => this.#time.move(ms));
    await this.#moving;
    return { now: new Date(this.#time.clock()).toISOString(), ahead: Math.round(this.#time.ahead) };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const ASK_MS = 250;
const HOLDER = 'rival';

interface Answer {
  readonly acquired: boolean;
  readonly seen: string | null;
}

/** Takes leases straight in PostgreSQL, at the first moment at which a contender with a steady clock may. */
export class Rival {
  readonly #database: pg.Pool;

  constructor(database: pg.Pool) {
    this.#database = database;
  }

  /** When it had the lease, by the wall clock; undefined if its holder has kept it until the signal. */
  async take(lease: string, signal: AbortSignal): Promise<number | undefined> {
    let seen: string | null = null;
    let since = performance.now();
    while (!signal.aborted) {
      const unchanged = Math.floor(performance.now() - since);
      const answer = await this.#ask(lease, seen, unchanged);
      if (answer.acquired) return Date.now();
      if (answer.seen !== seen) {
        seen = answer.seen;
        since = performance.now();
      }
      await sleep(ASK_MS);
    }
    return undefined;
  }

  async #ask(lease: string, seen: string | null, unchanged: number): Promise<Answer> {
    const statement = `call coordination.lease_acquire('default', $1, $2, '1 h', $3::bigint, $4::bigint)`;
    const { rows } = await this.#database.query<Answer>(statement, [lease, HOLDER, seen, unchanged]);
    return rows[0] as Answer;
  }

  async release(lease: string): Promise<void> {
    await this.#database.query(`call coordination.lease_release('default', $1, $2)`, [lease, HOLDER]);
  }
}

import { expect, test } from '@jest/globals';
import { ManualScheduler } from '../../../../test/support/manual-scheduler.js';
import { createLogger } from '../../../telemetry/logger.js';
import { type TermHistoryOptions, TermHistory } from './term-history.js';

const MINUTE = 60_000;

/** Each minute, whether terms are compared with the leases. */
class ComparedTerms {
  readonly #scheduler = new ManualScheduler();
  #asked = 0;
  readonly history = new TermHistory({
    ...{ scheduler: this.#scheduler, historyMs: MINUTE, maxTerms: 1, observer: {}, channel: () => '', committed: () => undefined },
    logger: createLogger({ logLevel: 'error' }),
    // no lease, and no term
    database: { query: () => Promise.resolve((this.#asked++, [])) },
  } as unknown as TermHistoryOptions);

  async minute(): Promise<boolean> {
    this.#asked = 0;
    this.history.maintenance.compareWhenDue();
    await this.#scheduler.pass(MINUTE);
    return this.#asked > 0;
  }
}

test('terms are compared more and more rarely, and soon after some could not be recorded', async () => {
  const terms = new ComparedTerms();
  const minutes: boolean[] = [];
  for (let minute = 0; minute < 8; minute++) minutes.push(await terms.minute());
  expect(minutes).toEqual([true, false, true, false, false, false, true, false]);
  terms.history.sequels?.lost();
  expect(await terms.minute()).toBe(true);
});

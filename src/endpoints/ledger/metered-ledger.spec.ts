import { expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { createServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { Held } from './held.js';
import { createMeteredLedger } from './metered-ledger.js';

test('who is cut off for the memory that is held for it is logged', () => {
  const lines: [object, string][] = [];
  const logger = { warn: (fields: object, message: string) => void lines.push([fields, message]) } as unknown as Logger;
  const ledger = createMeteredLedger(createServerMetrics().main, logger, { connection: 100, owner: 150, process: 0 });
  const [large, small] = [ledger.open('10.0.0.7', () => undefined), ledger.open('10.0.0.8', () => undefined)];
  for (const account of [large, small]) account.usedBy('alice');
  large.charge(Held.RESPONSES, 90);
  small.charge(Held.RESPONSES, 70);
  expect(lines).toEqual([
    [{ of: 'user alice', at: 'address 10.0.0.7', limit: 'user_bytes', bytes: 90 }, 'connection cut off: too much is held for it'],
  ]);
});

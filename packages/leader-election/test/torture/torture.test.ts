import { expect, test } from '@jest/globals';
import { describeWith, GO } from '../../../../test/clients/toolchain.js';
import { RENEW_DEADLINE, runTorture } from './run-torture.js';

describeWith([GO], 'client-go and this package on one lease', () => {
  test('leaders that are killed, stopped and cut off give way to one another, and no stale write is accepted', async () => {
    const report = await runTorture(9);
    expect(report.violations).toEqual([]);
    expect(report.acquisitions).toBeGreaterThan(9);
    expect(report.tokens).toBeGreaterThan(0);
    expect(report.wrongTokens).toEqual([]);
    expect(report.writes.staleAccepted).toBe(0);
    expect(report.writes.refused).toBeGreaterThan(0);
    const resumed = report.results.filter(({ change, from }) => change === 'paused' && from === 'typescript');
    for (const { steppedDownAfter } of resumed) expect(steppedDownAfter).toBeLessThan(RENEW_DEADLINE);
  }, 180_000);
});

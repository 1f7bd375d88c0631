import { expect, test } from '@jest/globals';
import { describeWith, GO } from '../../../../test/clients/toolchain.js';
import { runTorture } from './run-torture.js';

describeWith([GO], 'client-go and this package on one lease', () => {
  test('leaders that are killed, stopped or cut off are replaced, and no stale write is accepted', async () => {
    const report = await runTorture(9);
    expect(report.failures).toEqual([]);
    expect(report.results).toHaveLength(9);
  });
});

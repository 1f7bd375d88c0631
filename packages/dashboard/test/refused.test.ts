import { beforeAll, expect, test } from '@jest/globals';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { ask } from '../../../test/support/http-client.js';
import { violations } from './axe.js';
import { benchForAllTests, row, SETTINGS } from './dashboard-bench.js';
import { leaseOf, leases } from './lease-objects.js';

/** Pictures of the pages are kept here, if it is set. */
const PICTURES = process.env['REFUSED_PICTURES'];

describeWith([CHROMIUM], 'refused requests in the dashboard', () => {
  const bench = benchForAllTests(() => SETTINGS);
  beforeAll(async () => {
    await bench.letReadLeases('viewer');
    await bench.createLease('default', 'payments', { holderIdentity: 'me', leaseDurationSeconds: 3600 });
  });

  const post = (spec: object, name: string) =>
    ask(`${bench.server.url}${leases('default')}`, { method: 'POST', body: { metadata: { name }, spec } });
  const knock = async () => {
    await post({ renewTime: '2026-01-02T15:04:05.123Z' }, 'billing');
    await post({}, 'My_<b>Service');
    await post({ leaseDurationSeconds: '15s' }, `long-${'x'.repeat(240)}`);
    for (const holder of ['one', 'two']) {
      const headers = { authorization: 'Bearer admin-token', 'user-agent': holder };
      await ask(`${bench.server.url}${leases('default', 'payments')}/lock?holder=${holder}`, { method: 'PUT', headers });
    }
    const headers = { authorization: 'Bearer viewer-token' };
    await ask(`${bench.server.url}${leases('default', 'payments')}`, { method: 'PUT', headers, body: leaseOf('payments') });
  };

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'in the %s theme, %d pixels wide, all names that were asked for in vain and those of a lease are shown',
    async (colorScheme, width) => {
      await knock();
      const { page } = await bench.signIn('#/refused');
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const billing = row(page, 'billing');
      await billing.getByText('no such lease').waitFor();
      await billing.getByText('3 digits after the second, and six are needed').waitFor();
      await page.getByText('Names of leases are lower case letters').waitFor();
      // A long name hides no column.
      const last = await page.getByRole('cell', { name: / ago$/ }).first().boundingBox();
      expect((last?.x ?? Infinity) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await violations(page)).toEqual([]);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/refused-${colorScheme}-${width}.png`, fullPage: true });

      await page.goto(bench.address('#/leases/default/payments'));
      await page.getByText('3 others asked in the last minute: 2 wait, 1 is refused: Let viewer update leases in default').waitFor();
      expect(await violations(page)).toEqual([]);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/lease-${colorScheme}-${width}.png`, fullPage: true });

      await page.goto(bench.address('#/leases/default/billing'));
      await page.getByText('The lease does not exist').waitFor();
      await page.getByText('1 other asked in the last minute: 1 is refused: "2026-01-02T15:04:05.123Z" has 3 digits').waitFor();
      expect(await violations(page)).toEqual([]);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/absent-${colorScheme}-${width}.png`, fullPage: true });
    },
  );

  test('users without access to refused requests are told so', async () => {
    const { page } = await bench.signIn('#/refused', 'viewer-token');
    await page.getByText('You may not see who was refused').waitFor();
    await page.goto(bench.address('#/leases/default/payments'));
    await page.getByText('You may not see who was refused').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

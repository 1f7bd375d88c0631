import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { afterEachTest, forAllTests } from '../../../test/support/for-tests.js';
import { violations } from './axe.js';
import { BadDayBench, WAYS } from './bad-days.js';
import { row } from './dashboard-bench.js';
import { leases, microTime } from './lease-objects.js';

/** The page promises nine; the rest is for a busy machine. */
const PROMISED_MS = 12_000;
/** Of leases that are over before anybody can have noticed a silence. */
const SHORT_S = 6;
const SLEPT_MS = 8 * 3_600_000;

const silence = (page: Page) => page.getByText(/^No word for /);
const live = (page: Page) => page.getByText('Live', { exact: true });

describeWith([CHROMIUM], 'on a bad day', () => {
  describe.each(WAYS)('the dashboard through %s', (way) => {
    const bench = forAllTests(() => BadDayBench.start());
    afterEachTest(() => bench.comeToRest());
    let token: string;
    beforeAll(async () => {
      token = await bench.makeReader('reader');
    });

    /** Opens the page with a lease that is renewed until then. */
    async function begin(name: string, seconds = SHORT_S) {
      await bench.createLease(name, seconds);
      const day = await bench.open(way, token, name);
      await row(day.page, name).getByText('Held').waitFor();
      await bench.renew(name);
      return { ...day, lease: row(day.page, name), renewed: performance.now() };
    }

    /** Waits until the lease is over and says whether the page claimed so. */
    async function passExpiry({ page, renewed }: { page: Page; renewed: number }): Promise<void> {
      await page.waitForTimeout(Math.max(0, renewed + (SHORT_S + 2) * 1000 - performance.now()));
    }

    test('a quiet day has nothing red in the console again and again, and leases expire at their time', async () => {
      const day = await begin('quiet');
      await day.lease.getByText('Expired').waitFor();
      expect(performance.now() - day.renewed).toBeGreaterThan(SHORT_S * 900);
      // What it asks once, such as whether terms are served, may be refused.
      day.red.length = 0;
      await day.page.waitForTimeout(12_000);
      expect(day.red).toEqual([]);
      expect(await live(day.page).count()).toBe(1);
    });

    test('a stopped server is noticed in time, and nothing expires unheard', async () => {
      const day = await begin('stopped');
      bench.server.signal('SIGSTOP');
      try {
        await silence(day.page).waitFor({ timeout: PROMISED_MS });
        await passExpiry(day);
        await day.page.getByText('The server does not answer.').waitFor();
        expect(await day.showedExpiry()).toBe(false);
        expect(await violations(day.page)).toEqual([]);
      } finally {
        bench.server.signal('SIGCONT');
      }
      await live(day.page).waitFor();
      await day.lease.getByText('Expired').waitFor();
    });

    test('a killed server is noticed in time, and nothing expires until another is there', async () => {
      const day = await begin('killed');
      await bench.server.kill();
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await passExpiry(day);
      expect(await day.showedExpiry()).toBe(false);
      await bench.restart();
      await live(day.page).waitFor();
      await day.lease.getByText('Expired').waitFor();
    });

    test('a server that was restarted at once tells of the renewals that the page has missed', async () => {
      const day = await begin('restarted', 30);
      await bench.server.kill();
      await bench.restart();
      await bench.renew('restarted');
      await live(day.page).waitFor();
      await day.page.waitForTimeout(2000);
      expect(await day.showedExpiry()).toBe(false);
    });

    test('a server without its database is not live, and says why', async () => {
      const day = await begin('without-database');
      bench.toDatabase.refuse();
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await day.page.getByText('The server does not tell about its leases: ').waitFor();
      await passExpiry(day);
      expect(await day.showedExpiry()).toBe(false);
      await day.page.getByRole('link', { name: 'Server', exact: true }).click();
      await silence(day.page).waitFor();
      bench.toDatabase.open();
      await live(day.page).waitFor();
    });

    test('a server whose database hangs is not live', async () => {
      const day = await begin('mute-database');
      bench.toDatabase.mute = true;
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await passExpiry(day);
      expect(await day.showedExpiry()).toBe(false);
      bench.toDatabase.mute = false;
      await live(day.page).waitFor();
    });

    test('a line that swallows everything is silence, and renewals that it swallowed are read, not guessed', async () => {
      const day = await begin('swallowed');
      bench.line.mute();
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await passExpiry(day);
      await bench.send(leases('default', 'swallowed'), 'PATCH', { spec: { leaseDurationSeconds: 60, renewTime: microTime() } });
      bench.line.heal();
      await live(day.page).waitFor();
      expect(await day.showedExpiry()).toBe(false);
    });

    test('a watch whose replica is gone while others answer is begun again before a lease expires', async () => {
      await bench.createLease('behind', SHORT_S);
      const day = await bench.open(way, token);
      // It hears nothing from now on.
      await day.page.route(/[?&]watch=true/, () => undefined, { times: 1 });
      await day.page.reload();
      await row(day.page, 'behind').waitFor();
      await bench.send(leases('default', 'behind'), 'PATCH', { spec: { holderIdentity: 'successor', renewTime: microTime() } });
      await row(day.page, 'behind').getByText('successor').waitFor();
    });

    test('a laptop that slept shows no lease of before as it would be now', async () => {
      const day = await begin('slept', 3600);
      bench.line.mute();
      await day.page.evaluate((ms) => {
        const real = Date.now.bind(Date);
        Date.now = () => real() + ms;
      }, SLEPT_MS);
      await day.page.getByText(/^No word for 8 h$/).waitFor({ timeout: 3000 });
      await day.page.getByText(', 8 h ago').waitFor();
      bench.line.heal();
      await live(day.page).waitFor();
      expect(await day.showedExpiry()).toBe(false);
    });

    test('a computer without a network says so, and goes on with it', async () => {
      if (way !== '/ui/') return;
      const day = await begin('offline');
      await day.page.context().setOffline(true);
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await passExpiry(day);
      expect(await day.showedExpiry()).toBe(false);
      await day.page.context().setOffline(false);
      await live(day.page).waitFor();
    });

    test('a server that turns everybody away tells nothing, and nothing is made up', async () => {
      const day = await begin('turned-away');
      await day.page.route(/\/leases\?/, (route) => route.fulfill({ status: 429, body: 'too many requests, please try again later' }));
      // A watch that goes on would be a word.
      bench.line.resetAll();
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await day.page.getByText('The server does not tell about its leases: Too many requests').waitFor();
      await passExpiry(day);
      expect(await day.showedExpiry()).toBe(false);
      await day.page.unroute(/\/leases\?/);
      await live(day.page).waitFor();
    });

    test('rights that were taken away end what is shown', async () => {
      const taken = await bench.makeReader('taken');
      const { page } = await bench.open(way, taken);
      const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
      await bench.send(`${bindings}/system:serviceaccount:default:taken`, 'DELETE');
      await page.getByText('You may not see the leases of all namespaces').waitFor();
      expect(await live(page).count()).toBe(0);
    });

    test('a token that is not accepted any more ends what is shown, and the way back is said', async () => {
      const revoked = await bench.makeReader('revoked');
      const { page } = await bench.open(way, revoked);
      await bench.send('/api/v1/namespaces/default/serviceaccounts/revoked', 'DELETE');
      await page
        .getByText(
          way === '/ui/'
            ? 'The server does not know this token, or it has expired.'
            : 'Once they are renewed, this page goes on by itself.',
        )
        .waitFor();
      expect(await live(page).count()).toBe(0);
      expect(await page.locator('input[name="token"]').count()).toBe(way === '/ui/' ? 1 : 0);
    });

    test('leases that were deleted meanwhile do not stay', async () => {
      const day = await begin('deleted');
      bench.line.mute();
      await silence(day.page).waitFor({ timeout: PROMISED_MS });
      await bench.send(leases('default', 'deleted'), 'DELETE');
      bench.line.heal();
      await live(day.page).waitFor();
      expect(await day.lease.count()).toBe(0);
    });
  });
});

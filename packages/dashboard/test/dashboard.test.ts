import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { UPSTREAMS_GROUPS } from '../../../test/support/upstreams-groups.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { eventually } from '../../../test/support/eventually.js';
import { ask } from '../../../test/support/http-client.js';
import { violations } from './axe.js';
import { enterToken, signIn, startBrowser, TOKEN, visit } from './browser.js';
import { benchForAllTests, fact, row, SETTINGS } from './dashboard-bench.js';
import { leases, microTime } from './lease-objects.js';
import { makeMany, manyName, renewMany } from './many-leases.js';

const HOSTILE = '<img src=x onerror=alert(1)>"\'\u202egnp.exe';
const MANY = 10_000;

/** Addresses, each with a text that shows that the page has loaded. */
const PAGES = [
  ['#/leases', 'hostile'],
  ['#/leases/jobs/hostile', 'Fencing token'],
  ['#/leases/jobs/hostile?tab=fields', 'Manager'],
  ['#/elections', 'No candidates'],
  ['#/timeline', 'Timeline'],
  ['#/server', 'change-feed'],
] as const;

describeWith([CHROMIUM], 'the dashboard in Chromium', () => {
  const bench = benchForAllTests(() => ({ ...SETTINGS, flags: [...SETTINGS.flags, `--runtime-config=${UPSTREAMS_GROUPS}`] }));
  beforeAll(async () => {
    await bench.createNamespaces('jobs', 'many', 'quiet', 'back');
    await bench.letReadLeases('viewer', 'jobs');
    await bench.letReadLeases('system:serviceaccount:jobs:robot', 'jobs');
    await bench.createLease('jobs', 'report');
    const annotations = { note: `<script>alert(2)</script>${HOSTILE}` };
    await bench.createLease('jobs', 'hostile', { holderIdentity: HOSTILE }, { annotations });
  });

  test('refuses an unknown token, and accepts a known one for this tab only', async () => {
    const { page, complaints } = await bench.signIn('', 'wrong');
    await page.getByText('The server does not know this token').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(1);
    await enterToken(page);
    await row(page, 'report').waitFor();
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([1, 0]);
    await page.reload();
    await row(page, 'report').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator(TOKEN).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('shows a change within half a second of its write', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    const took: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const holder = `worker-${turn}`;
      const shown = page.waitForFunction((text) => document.querySelector('.scroller')?.textContent.includes(text), holder, {
        polling: 'raf',
      });
      const began = performance.now();
      await bench.changeLease('jobs', 'report', { holderIdentity: holder, renewTime: microTime() });
      await shown;
      took.push(performance.now() - began);
    }
    // The other attempts may have waited for a busy machine.
    expect(Math.min(...took)).toBeLessThan(500);
  });

  test('shows hostile names as plain text', async () => {
    const { page, complaints } = await bench.signIn('#/leases?ns=jobs');
    await page.getByText('<img src=x onerror=alert(1)>"\'\\u{202e}gnp.exe').first().waitFor();
    await page.getByRole('link', { name: 'hostile' }).click();
    await page.getByText('<script>alert(2)</script>').waitFor();
    for (const tab of ['Terms', 'Events', 'YAML', 'Fields', 'Overview']) await page.getByRole('tab', { name: tab }).click();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('hands a lease over and releases it after a confirmation', async () => {
    await bench.createLease('jobs', 'handed', { leaseDurationSeconds: 600, leaseTransitions: 2 });
    const { page } = await bench.signIn('#/leases/jobs/handed');
    await page.getByRole('button', { name: 'Hand over…' }).click();
    await page.getByLabel('New holder').fill('worker-9');
    // Another client changes the holder first.
    await bench.changeLease('jobs', 'handed', { holderIdentity: 'quicker' });
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await page.getByText('The holder has changed').waitFor();
    expect(await bench.specOf('jobs', 'handed')).toMatchObject({ holderIdentity: 'quicker', leaseTransitions: 2 });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Hand over…' }).click();
    await page.getByLabel('New holder').fill('worker-9');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await bench.specOf('jobs', 'handed')).toMatchObject({ holderIdentity: 'worker-9', leaseTransitions: 3 });
    await page.getByRole('button', { name: 'Release…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('Released').first().waitFor();
    await page.getByText('nobody holds it').waitFor();
    // the release has written renewTime, and was no renewal
    await fact(page, 'Released')
      .getByText(/\d s ago/)
      .waitFor();
    await page.getByText('Since its release').waitFor();
    expect(await fact(page, 'Last renewal').count()).toBe(0);
    await page.getByText('none seen yet', { exact: true }).waitFor();
    await page.getByText('not known until a renewal is seen').waitFor();
    expect(await bench.specOf('jobs', 'handed')).toMatchObject({ holderIdentity: '', leaseTransitions: 3 });
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByText('released by worker-9').waitFor();
    await page.getByText('--runtime-config=history.coordination-apiserver.dev/v1=true').waitFor();
  });

  test('does not tell the last renewal of a lease from its release if it has seen neither', async () => {
    await bench.createLease('jobs', 'given-up', { holderIdentity: '', acquireTime: microTime() });
    const { page } = await bench.signIn('#/leases/jobs/given-up');
    await fact(page, 'Last renewal or release').getByText(/ago/).waitFor();
    await page.getByText('Since the last renewal or release').waitFor();
  });

  test('counts flapping leases as far as it has seen them, and says so, where terms are not served', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    await page.getByTitle('that this page has seen since it was opened: this server does not serve the history of terms.').waitFor();
  });

  test('lets users without rights to all namespaces choose one, and shows no buttons for forbidden actions', async () => {
    const { page } = await bench.signIn('', 'viewer-token');
    await page.getByText('You may not see the leases of all namespaces').waitFor();
    // what the user may not see is not counted
    expect(await page.locator('.tile-count').allTextContents()).toEqual(Array(7).fill('–'));
    const choice = page.getByRole('alert');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/namespaces/quiet/leases?**', (route) => held.then(() => route.continue()));
    await page.evaluate(`new MutationObserver(() => {
      globalThis.titles = [...(globalThis.titles ?? []), document.querySelector('[role=alert] h2')?.textContent];
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await choice.getByLabel('Namespace').fill('quiet');
    await page.keyboard.press('Enter');
    await page.getByText('Loading leases…').waitFor();
    // refused is what the server has refused
    expect(await page.evaluate('globalThis.titles')).not.toContain('You may not see the leases in quiet');
    answer();
    await page.getByText('You may not see the leases in quiet').waitFor();
    await choice.getByLabel('Namespace').fill('jobs');
    await page.keyboard.press('Enter');
    await row(page, 'report').waitFor();
    await page.getByRole('link', { name: 'jobs/report' }).click();
    await page.getByText('You may not change this lease.').waitFor();
    expect(await page.getByRole('button', { name: /^(Release|Hand over)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Elections' }).click();
    await page.getByText('You may not list lease candidates in jobs.').waitFor();
  });

  test('shows the first step while there is no lease, and selects by labels', async () => {
    const { page } = await bench.signIn('#/leases?ns=quiet');
    await page.getByText('No lease yet in quiet').waitFor();
    await page.getByText(/^curl --insecure .* -d '\{.*"namespace":"quiet"/).waitFor();
    for (const language of ['go', 'typescript', 'python', 'java', 'rust']) {
      await page.getByText(`docs/clients/${language}.md`).waitFor();
      await page.getByText(`node scripts/example.mjs ${language} `).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    // They scroll by themselves.
    await page.getByText('node scripts/example.mjs go ').hover();
    await page.mouse.wheel(0, 3000);
    await eventually(async () => ((await page.getByText('node scripts/example.mjs rust ').boundingBox())?.y ?? Infinity) < 780);
    await bench.createLease('quiet', 'first', {}, { labels: { app: 'one' } });
    await row(page, 'first').waitFor();
    await page.getByLabel('Label selector').fill('app=two');
    await page.keyboard.press('Enter');
    await page.getByText('No lease has these labels').waitFor();
    await page.getByLabel('Label selector').fill('app=(');
    await page.keyboard.press('Enter');
    await page.getByText('The server does not understand the label selector').waitFor();
    await page.getByRole('button', { name: 'Remove the selector' }).click();
    await row(page, 'first').waitFor();
  });

  test('has no axe violations in both themes and at the width of a phone, and needs no horizontal scrolling', async () => {
    for (const [colorScheme, width, pages] of [
      ['light', 1280, PAGES],
      ['dark', 390, PAGES],
      ['dark', 1280, PAGES.slice(0, 2)],
      ['light', 390, PAGES.slice(0, 2)],
    ] as const) {
      const { page } = await bench.visit('', { colorScheme, viewport: { width, height: 844 } });
      await page.locator(TOKEN).waitFor();
      const found = await violations(page);
      await enterToken(page);
      await row(page, 'hostile').waitFor();
      for (const [hash, shown] of pages) {
        await page.evaluate((to) => void (location.hash = to), hash);
        await page.getByText(shown).first().waitFor();
        found.push(...(await violations(page)).map((violation) => `${colorScheme} ${width} ${hash} ${violation}`));
        expect([hash, width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([hash, width, width]);
      }
      expect(found).toEqual([]);
    }
  });

  test('can be used by keyboard alone', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('report');
    await row(page, 'hostile').waitFor({ state: 'detached' });
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.hasAttribute('data-row'))) break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Overview', selected: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Terms', selected: true }).waitFor();
    expect(await page.evaluate(() => location.hash)).toContain('#/leases/jobs/report');
  });

  test('Back leads to where the list was left, with the focus on the same lease', async () => {
    await makeMany(bench.server.url, 'back', 200);
    const { page } = await bench.signIn('#/leases?ns=back');
    await row(page, manyName(0)).waitFor();
    await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo({ top: 4000 }));
    const left = () => page.locator('.scroller').evaluate((scroller) => scroller.scrollTop);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('title') ?? document.activeElement?.id);
    for (const goBack of [() => page.goBack(), () => page.getByRole('link', { name: 'All leases' }).click()]) {
      await row(page, manyName(95)).getByRole('link').click();
      await page.getByRole('tab', { name: 'Overview' }).waitFor();
      expect(await focused()).toBe('main');
      await page.getByRole('tab', { name: 'Events' }).click();
      await goBack();
      await page.waitForFunction((title) => document.activeElement?.getAttribute('title') === title, `back/${manyName(95)}`);
      expect(await left()).toBe(4000);
    }
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('heading', { name: 'Server' }).waitFor();
    expect(await focused()).toBe('main');
    await bench.send(leases('back'), 'DELETE');
  });

  test('a list gives its leases as files, those that match the search', async () => {
    const { page, complaints } = await bench.signIn('#/leases?ns=jobs&q=report');
    await row(page, 'report').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
    expect(file.suggestedFilename()).toBe('leases.csv');
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(head).toBe('namespace,name,holder,acquireTime,renewTime,leaseDurationSeconds,leaseTransitions,resourceVersion');
    expect(lines).toEqual([expect.stringMatching(/^jobs,report,/)]);
    expect(complaints).toEqual([]);
  });

  test('the down arrow moves into the list from the page and from the search', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    await page.evaluate(() => document.getElementById('main')?.focus());
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('0');
    await page.keyboard.press('/');
    await page.keyboard.type('report');
    await page.getByText(/^1 of \d+ leases/).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('0');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    expect(await page.evaluate(() => location.hash)).toContain('#/leases/jobs/report');
  });

  test('cuts off neither figures of the server nor the age of a lease, nor its name where the namespace can be shortened', async () => {
    const namespace = 'n'.repeat(63);
    await bench.createNamespaces(namespace);
    const renewTime = microTime(Date.now() - 59 * 60_000 - 30_000);
    await bench.createLease(namespace, 'its-own-name', { leaseDurationSeconds: 5400, renewTime });
    for (const width of [390, 800, 1280]) {
      const { page } = await bench.signIn('', 'admin-token', { viewport: { width, height: 844 } });
      await row(page, 'its-own-name').waitFor();
      const isCut = (selector: string) =>
        page.locator(selector).evaluateAll((found) => found.map((each) => each.scrollWidth > each.clientWidth).includes(true));
      const ages = await page.locator('.row .age').allTextContents();
      expect([width, ages.some((age) => /^\d+ m \d+ s \/ 1 h 30 m$/.test(age))]).toEqual([width, true]);
      expect([width, await isCut('.row .age')]).toEqual([width, false]);
      expect([width, await isCut('.row .lease-name bdi:text-is("its-own-name")')]).toEqual([width, false]);
      await page.evaluate(() => void (location.hash = '#/timeline'));
      await page.locator('.lane-label').first().waitFor();
      expect([width, await isCut('.lane-label bdi:text-is("its-own-name")')]).toEqual([width, false]);
      await page.route('**/metrics', (route) => route.fulfill({ body: 'coordination_cache_revision 1795692293411234\n' }));
      await page.evaluate(() => void (location.hash = '#/server'));
      await page.getByText('1,795,692,293,411,234').waitFor();
      expect([width, await isCut('.gauge-value')]).toEqual([width, false]);
      await page.context().close();
    }
  });

  test('has rows as wide as the table, or up to its scrollbar, and headings above their columns', async () => {
    const desktop = await startBrowser({ scrollbars: true });
    try {
      const { page } = await signIn(desktop, bench.address('#/leases?ns=jobs'), 'admin-token');
      await row(page, 'report').waitFor();
      const right = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((each) => each.getBoundingClientRect().right);
      const offsets = async () => {
        const [table, ofRow, heading, cell] = [
          await right('.scroller'),
          await right('.row'),
          await right('.row-head .cell-term'),
          await right('.row .cell-term'),
        ];
        return { ofRow: table - ofRow, ofHeading: heading - cell };
      };
      expect(await offsets()).toEqual({ ofRow: 0, ofHeading: 0 });
      await page.setViewportSize({ width: 1280, height: 300 });
      await page.locator('.table-scrolls').waitFor();
      const { ofRow, ofHeading } = await offsets();
      expect(ofRow).toBeGreaterThan(5);
      expect(ofHeading).toBe(0);
    } finally {
      await desktop.close();
    }
  });

  test('Swagger UI opens at leases and fits the width of a phone', async () => {
    const { page } = await visit(bench.browser, `${bench.server.url}/swagger`, { viewport: { width: 390, height: 844 } });
    const descriptions = page.locator('.opblock-tag small');
    await descriptions.first().waitFor();
    await page.locator('.opblock', { hasText: '/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}' }).first().waitFor();
    expect(await page.locator('.opblock-tag[data-is-open="true"]').count()).toBe(1);
    const widths = await descriptions.evaluateAll((found) => found.map((each) => each.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThan(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    // the names of the tags are coordination_v1 and so on
    await page.locator('.operation-filter-input').fill('Lease in');
    await page.locator('.opblock-tag', { hasText: 'Lease in coordination.k8s.io/v1' }).waitFor();
    await expect(descriptions.count()).resolves.toBe(1);
  });

  test('says within ten seconds that the server hangs, and lets no lease expire and nobody release one meanwhile', async () => {
    await bench.createLease('jobs', 'short', { leaseDurationSeconds: 20, renewTime: microTime() });
    const { page, complaints } = await bench.signIn('#/leases/jobs/short');
    const release = page.getByRole('button', { name: 'Release…' });
    await release.click();
    const confirm = page.locator('dialog button[type="submit"]');
    expect(await confirm.isDisabled()).toBe(false);
    bench.server.signal('SIGSTOP');
    try {
      await page.getByText(/^No word for \d+ s$/).waitFor({ timeout: 12_000 });
      expect(await confirm.isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      expect(await release.isDisabled()).toBe(true);
      expect(await violations(page)).toEqual([]);
      await page.waitForTimeout(16_000);
      expect(await page.locator('.lease-title').innerText()).toMatch(/Held/);
      const ages = page
        .locator('.age-bar-fill')
        .evaluateAll((bars) => bars.flatMap((bar) => bar.getAnimations().map(({ playState }) => playState)));
      expect(await ages).toEqual(['paused']);
      await page.goto(bench.address('#/leases?ns=jobs'));
      await page.getByText('The server does not answer.').waitFor();
    } finally {
      bench.server.signal('SIGCONT');
    }
    await page.getByText('Live', { exact: true }).waitFor();
    await row(page, 'short').getByText('Expired').waitFor();
    expect(complaints).toEqual([]);
  });

  test('offers the sign-in again when a token is revoked, whatever the page shows', async () => {
    await bench.send('/api/v1/namespaces/jobs/serviceaccounts', 'POST', { metadata: { name: 'robot' } });
    const robot = '/api/v1/namespaces/jobs/serviceaccounts/robot';
    const made = await ask(`${bench.server.url}${robot}/token`, { method: 'POST', body: { spec: {} } });
    const { status } = JSON.parse(made.text) as { status: { token: string } };
    const { page } = await bench.signIn('#/leases?ns=jobs', status.token);
    await row(page, 'report').waitFor();
    await bench.send(robot, 'DELETE');
    await page.getByText('The server does not know this token, or it has expired.').waitFor();
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await enterToken(page);
    await row(page, 'report').waitFor();
  });

  test('recovers when the server restarts', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    const before = bench.server;
    const { port, dataDir, databaseUrl } = before;
    await before.kill();
    await page.getByText('Reconnecting').waitFor();
    const again = await startServerProcess({ ...SETTINGS, port, dataDir, databaseUrl });
    bench.server = { ...again, stop: () => again.stop().then(() => before.stop()) };
    await page.getByText('Live', { exact: true }).waitFor();
    await bench.changeLease('jobs', 'report', { holderIdentity: 'after-the-restart' });
    await row(page, 'after-the-restart').waitFor();
  });

  test('scrolls through ten thousand leases that are renewed all the time', async () => {
    await makeMany(bench.server.url, 'many', MANY);
    const { page, complaints } = await bench.signIn('#/leases?ns=many');
    await page.getByText('10,000 leases').waitFor();
    const renewing = new AbortController();
    const renewed = renewMany(bench.server.url, 'many', MANY, 1000, renewing.signal);
    const scroller = page.locator('.scroller');
    for (const at of [0.25, 0.5, 0.75, 1]) {
      await scroller.evaluate((element, part) => void (element.scrollTop = part * element.scrollHeight), at);
      const index = Math.min(MANY - 1, Math.round(at * MANY));
      await row(page, manyName(index === MANY - 1 ? index : index + 2)).waitFor();
      expect(await page.getByRole('row').count()).toBeLessThan(60);
    }
    await page.keyboard.press('/');
    await page.keyboard.type(manyName(4711));
    await page.getByText('1 of 10,000 leases').waitFor();
    renewing.abort();
    expect(await renewed).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('shows the first page of ten thousand leases while the others are still on their way', async () => {
    const { page } = await bench.visit('#/leases?ns=many');
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(/continue=/, async (request) => {
      await held;
      await request.continue();
    });
    await enterToken(page);
    await row(page, manyName(0)).waitFor();
    await page.getByText('1,000 leases, loading more…').waitFor();
    goOn();
    await page.getByText('10,000 leases').waitFor();
    expect(await page.getByText('loading more').count()).toBe(0);
  });
});

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { connected } from '../../../test/support/connected.js';
import { ask } from '../../../test/support/http-client.js';
import { violations } from './axe.js';
import { enterToken } from './browser.js';
import { benchForAllTests, fact, row, SETTINGS } from './dashboard-bench.js';
import { leases, microTime } from './lease-objects.js';

const HOSTILE = '<img src=x onerror=alert(1)>"\'\u202egnp.exe';
const HOUR = 3_600_000;

describeWith([CHROMIUM], 'terms in the dashboard', () => {
  const bench = benchForAllTests(() => SETTINGS);
  beforeAll(async () => {
    await bench.createNamespaces('jobs');
    await bench.createLease('jobs', 'report', { leaseDurationSeconds: 1, holderIdentity: 'first' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await hold('report', 'second');
    await hold('report', 'third', { leaseDurationSeconds: 600 });
    await bench.createLease('jobs', 'hostile', { holderIdentity: HOSTILE });
    await hold('hostile', `${HOSTILE}2`);
    await bench.createLease('jobs', 'gone', { holderIdentity: 'the-last' });
    await bench.send(leases('jobs', 'gone'), 'DELETE');
    await bench.letReadLeases('viewer');
  });
  const hold = (name: string, holderIdentity: string, more: object = {}) =>
    bench.changeLease('jobs', name, { holderIdentity, renewTime: microTime(), acquireTime: microTime(), ...more });
  const lane = (page: Page, words: string) => page.getByRole('img', { name: words });
  const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN };

  test('a lease has its terms, with how each of them ended', async () => {
    const { page } = await bench.signIn('#/leases/jobs/report?tab=terms');
    await row(page, 'first').getByText('expired, then taken').waitFor();
    await row(page, 'second').getByText('expired, then taken').or(page.getByText('taken before its time')).first().waitFor();
    await row(page, 'third').getByText('holds it').waitFor();
    expect(await row(page, 'third').getByRole('cell').nth(1).textContent()).toMatch(/^\d+$/);
    await hold('report', 'fourth', { leaseDurationSeconds: 600 });
    await row(page, 'third').getByText('taken before its time was over').waitFor();
    const token = (await row(page, 'fourth').getByRole('cell').nth(1).textContent()) ?? '';
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.locator('.token', { hasText: new RegExp(`^${token}$`) }).waitFor();
    await page.getByText('Flapping').waitFor();
  });

  test('a lease that changed hands before the page was opened is flapping in the list, if the user may read terms', async () => {
    await bench.createNamespaces('swaps');
    await bench.createLease('swaps', 'settled', { acquireTime: microTime(Date.now() - HOUR) });
    await bench.createLease('swaps', 'swapped', { holderIdentity: 'a', acquireTime: microTime() });
    for (const holderIdentity of ['b', 'a', 'b']) {
      await bench.changeLease('swaps', 'swapped', { holderIdentity, acquireTime: microTime() });
    }
    const tile = (page: Page) => page.locator('.tile.state-flapping');
    const { page } = await bench.signIn('#/leases?ns=swaps');
    await tile(page).locator('.tile-count', { hasText: /^1$/ }).waitFor();
    await row(page, 'swapped').getByText('Flapping').waitFor();
    expect(await tile(page).getAttribute('title')).toContain('by the terms that the server has recorded');
    await tile(page).click();
    await row(page, 'settled').waitFor({ state: 'detached' });
    await row(page, 'swapped').waitFor();
    const { page: other } = await bench.signIn('#/leases?ns=swaps', 'viewer-token');
    await other.getByTitle('that this page has seen since it was opened: you may not read terms.').waitFor();
    expect(await tile(other).locator('.tile-count').textContent()).toBe('0');
  });

  test('a released lease says when it was released, not when it was renewed', async () => {
    await bench.createLease('jobs', 'given', { renewTime: microTime(Date.now() - HOUR) });
    await bench.changeLease('jobs', 'given', { holderIdentity: '' });
    const { page } = await bench.signIn('#/leases/jobs/given');
    await fact(page, 'Released')
      .getByText(/\d s ago/)
      .waitFor();
    await page
      .locator('.lease-age', { hasText: 'Since its release' })
      .getByText(/^\d+ s$/)
      .waitFor();
    expect(await page.getByText('Last renewal').count()).toBe(0);
  });

  test('all times of a lease are in UTC, wherever the browser is, with the local time beside them', async () => {
    const { page } = await bench.signIn('#/leases/jobs/third-party', 'admin-token', { timezoneId: 'Asia/Kolkata' });
    const acquireTime = microTime();
    await bench.createLease('jobs', 'third-party', { holderIdentity: 'only', acquireTime });
    const shown = acquireTime.slice(11, 19);
    await page
      .getByText(`${acquireTime.slice(0, 10)} ${shown} UTC`)
      .first()
      .waitFor();
    await fact(page, 'Held since')
      .getByText(/\d\d:\d\d:\d\d (GMT\+5:30|IST), /)
      .waitFor();
    const ticks = await page.locator('.chart-tick').allTextContents();
    const hours = [-10, 0].map((ago) => microTime(Date.now() + ago * 60_000).slice(11, 13));
    for (const tick of ticks.filter((text) => /^\d\d:/.test(text))) expect(hours).toContain(tick.slice(0, 2));
    await page.locator('.chart-zone', { hasText: 'UTC' }).waitFor();
    await page.getByRole('tab', { name: 'Terms' }).click();
    await page.getByRole('columnheader', { name: 'From (UTC)' }).waitFor();
    const from = (await row(page, 'only').getByRole('cell').nth(2).textContent()) ?? '';
    expect(hours).toContain(from.slice(0, 2));
    // by the database's clock, a moment after acquireTime
    const began = from.slice(0, 8);
    const local = new Date(`${acquireTime.slice(0, 10)}T${began}Z`).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata' });
    expect(from).toMatch(new RegExp(`^${began} ${local} (GMT\\+5:30|IST)$`));
  });

  test('the fencing token of a term that began before the tab is known', async () => {
    const { json } = await ask(`${bench.server.url}${leases('jobs', 'hostile')}`);
    const { page } = await bench.signIn('#/leases/jobs/hostile');
    await page.locator('.token', { hasText: json.metadata?.resourceVersion ?? 'no version' }).waitFor();
  });

  test('the timeline shows who held what, and zooms by dragging, by buttons and by its address', async () => {
    const { page } = await bench.signIn('#/timeline?q=report');
    await page.getByText('taken over by second from first').waitFor();
    await page.getByRole('button', { name: 'Day', exact: true }).click();
    expect(await page.evaluate(() => location.hash)).toContain('range=1d');
    const box = await page.locator('.chart-track').first().boundingBox();
    if (!box) throw new Error('the timeline has no lane');
    await page.mouse.move(box.x + box.width * 0.9, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.95, box.y + 10, { steps: 3 });
    await page.mouse.move(box.x + box.width, box.y + 10, { steps: 3 });
    await page.mouse.up();
    const period = async (): Promise<number> => {
      const [, from, to] = /range=(\d+)-(\d+)/.exec(await page.evaluate(() => location.hash)) ?? [];
      return Number(to) - Number(from);
    };
    await page.waitForFunction(() => /range=\d+-\d+/.test(location.hash));
    const dragged = await period();
    expect(dragged / HOUR).toBeGreaterThan(2);
    expect(dragged / HOUR).toBeLessThan(3);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(Math.abs((await period()) - dragged / 2)).toBeLessThan(3);
    await page.reload();
    expect(Math.abs((await period()) - dragged / 2)).toBeLessThan(3);
    await page.getByRole('button', { name: 'Hour' }).click();
    await page.getByText('taken over by second from first').waitFor();
  });

  test('the axis stays in sight below more lanes than fit, and what the pointer is on is told within the window', async () => {
    await bench.createNamespaces('lanes');
    for (let at = 0; at < 30; at++) {
      await bench.createLease('lanes', `lane-${at}`, { holderIdentity: `${'a-long-name-'.repeat(12)}${at}` });
    }
    for (const width of [1280, 360]) {
      const { page } = await bench.signIn('#/timeline?q=lanes/', 'admin-token', { viewport: { width, height: 700 } });
      await page.locator('.lane').nth(19).waitFor();
      await page.getByRole('button', { name: 'show 20 more' }).click();
      await page.locator('.lane').nth(29).waitFor();
      await page
        .locator('.lane')
        .first()
        .evaluate((lane) => lane.scrollIntoView());
      const [axis, main] = [await boxOf(page.locator('.chart-axis-row')), await boxOf(page.locator('#main'))];
      expect(axis.y + axis.height).toBeLessThanOrEqual(700);
      // No lane shows below it.
      expect(main.y + main.height - axis.y - axis.height).toBeLessThan(2);
      const lanes = await Promise.all(Array.from({ length: 30 }, (_, at) => boxOf(page.locator('.lane').nth(at))));
      const seen = lanes.filter(({ y, height }) => y + height < axis.y);
      for (const [box, part] of [seen[0], seen.at(-1)].flatMap((lane) => [0.01, 0.45, 0.55, 0.99].map((at) => [lane, at] as const))) {
        if (!box) throw new Error('no lane is above the axis');
        await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
        const tip = await boxOf(page.locator('.chart-tip'));
        const inside = tip.x >= 0 && tip.y >= 0 && tip.x + tip.width <= width && tip.y + tip.height <= 700;
        expect([width, part, tip, inside]).toEqual([width, part, tip, true]);
      }
    }
  });

  test('the timeline finds leases by their state, and a lease gives its terms as files', async () => {
    await bench.createLease('jobs', 'formula', { holderIdentity: '=1+1, "x"' });
    const { page, complaints } = await bench.signIn('#/timeline?q=state:held+formula');
    const lanes = page.locator('.lane-label');
    await lanes.first().waitFor();
    expect(await lanes.count()).toBe(1);
    await page.getByRole('searchbox').fill('state:expired formula');
    await page.getByText('No lease matches').waitFor();
    await page.evaluate(() => void (location.hash = '#/leases/jobs/formula?tab=terms'));
    const saved = async (kind: string): Promise<string> => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Download as ${kind}` }).click()]);
      expect(file.suggestedFilename()).toBe(`jobs-formula-terms.${kind.toLowerCase()}`);
      return readFileSync(await file.path(), 'utf8');
    };
    const [term] = JSON.parse(await saved('JSON')) as { holder: string; fencingToken: string; from: string }[];
    expect(term).toMatchObject({ holder: '=1+1, "x"', fencingToken: expect.stringMatching(/^\d+$/), from: expect.stringMatching(/Z$/) });
    expect(await saved('CSV')).toContain(
      `holder,fencingToken,from,until,reason,lastRenewTime,lapsedAt,lapses\r\n"'=1+1, ""x""",${term?.fencingToken},`,
    );
    expect(complaints).toEqual([]);
  });

  test('a deleted lease is found by its whole name', async () => {
    const { page } = await bench.signIn('#/timeline');
    await page.getByRole('link', { name: 'jobs/report' }).first().waitFor();
    expect(await page.getByText('the-last').count()).toBe(0);
    await page.getByRole('searchbox').fill('jobs/gone');
    await page.getByText('deleted; the-last held it').waitFor();
  });

  test('the newest terms of a lease that changed hands often are shown, and earlier ones on demand', async () => {
    await bench.createLease('jobs', 'busy', { holderIdentity: 'the-present' });
    const client = await connected(bench.server.databaseUrl);
    await client.query(
      `insert into coordination_tables.lease_term
         (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, created, revision)
       select newest, 'jobs', 'busy', at, gen_random_uuid(), 'uid', 'h' || at % 7, now() - (11001 - at) * interval '1 minute',
              now() - (11000 - at) * interval '1 minute', 'Released', 1, 1
       from generate_series(1, 11000) at, (select max(segment) as newest from coordination_tables.lease_term_segment) segment`,
    );
    await client.query(`update coordination_tables.lease_term set token = 20000 where segment = 0 and lease = 'busy'`);
    await client.end();
    const { page } = await bench.signIn('#/timeline?q=busy&range=90d');
    await page.getByText('The 10,000 newest terms of jobs/busy, since').waitFor();
    await page.getByText('acquired by the-present').waitFor();
    await page.getByRole('button', { name: 'Read earlier ones' }).click();
    await page.getByText('newest terms of').waitFor({ state: 'detached' });
  });

  test('users without access to terms are told so, and see what the tab has seen', async () => {
    const { page } = await bench.signIn('#/timeline', 'viewer-token');
    await page.getByText('You may not read terms, so this page shows only what this tab has seen.').waitFor();
    await lane(page, 'Held by fourth').or(lane(page, 'Held by third')).first().waitFor();
  });

  test('is free of axe violations, fits a phone, and shows hostile names as text, in both themes', async () => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      const { page, complaints } = await bench.visit('', { colorScheme, viewport: { width, height: 844 } });
      await enterToken(page);
      await page.getByRole('link', { name: 'jobs/report' }).waitFor();
      for (const [hash, shown] of [
        ['#/timeline?range=10m', 'taken over by'],
        ['#/timeline?range=90d', 'taken over by'],
        ['#/leases/jobs/hostile?tab=terms', '<img src=x onerror=alert(1)>"\'\\u{202e}gnp.exe2'],
      ] as const) {
        await page.evaluate((to) => void (location.hash = to), hash);
        await page.getByText(shown).first().waitFor();
        expect([hash, width, await violations(page)]).toEqual([hash, width, []]);
        expect([hash, width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([hash, width, width]);
        // the page scrolls within its frame, not out of sight with it
        expect([hash, width, await page.evaluate(() => document.documentElement.scrollHeight)]).toEqual([hash, width, 844]);
        const track = await page.locator('.chart-track').first().boundingBox();
        // every column and button is within the width of the screen
        const cells = page.locator('td, .range-bar button');
        const outside = await cells.evaluateAll(
          (found) =>
            found.filter((each) => each.getBoundingClientRect().right > innerWidth || each.getBoundingClientRect().left < 0).length,
        );
        expect([hash, width, outside]).toEqual([hash, width, 0]);
        if (track) await page.mouse.move(track.x + track.width - 2, track.y + 10);
        expect(await page.locator('img, script:not([src])').count()).toBe(0);
      }
      expect(complaints).toEqual([]);
    }
  });
});

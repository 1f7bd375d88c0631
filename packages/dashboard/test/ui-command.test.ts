import type { IncomingHttpHeaders } from 'node:http';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { ServerRun } from '../../../test/e2e/lifecycle/server-run.js';
import { startAnswering } from '../../../test/support/answering-server.js';
import { eventually } from '../../../test/support/eventually.js';
import { violations } from './axe.js';
import { visit } from './browser.js';
import { benchForAllTests, row } from './dashboard-bench.js';

const LEASES = '/apis/coordination.k8s.io/v1/leases';
const WITHOUT_KEY = 'This page is only for the user who started';

describeWith([CHROMIUM], 'coordination-apiserver ui in Chromium', () => {
  const bench = benchForAllTests(() => ({}));
  let command: ServerRun;
  let url: string;
  beforeAll(() => bench.createLease('default', 'report'));
  beforeEach(async () => {
    [command, url] = await start(0);
  });

  async function start(port: number): Promise<[ServerRun, string]> {
    const run = new ServerRun(['ui', '--port', String(port), '--data-dir', bench.server.dataDir]);
    return [
      run,
      await eventually(
        () => /http:\/\/\S+/.exec(run.stdout)?.[0],
        () => run.stderr,
      ),
    ];
  }

  const report = (page: Page) => row(page, 'report');
  const origin = () => new URL(url).origin;
  const key = () => new URL(url).hash.slice('#key='.length);

  test('keeps the key of the address for the tab, and shows it nowhere', async () => {
    const { page, complaints } = await visit(bench.browser, url);
    await report(page).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await report(page).waitFor();
    await report(page).click();
    await page.getByText('Fencing token').waitFor();
    await page.goBack();
    await report(page).waitFor();
    expect(page.url()).not.toContain('key');
    expect(await page.content()).not.toContain(key());
    expect(complaints).toEqual([]);
  });

  test('follows changes with the key', async () => {
    const { page } = await visit(bench.browser, url);
    await report(page).waitFor();
    await bench.createLease('default', 'later');
    await row(page, 'later').waitFor();
  });

  test('gives the key to tabs that its links open, as long as a tab has it', async () => {
    const { page } = await visit(bench.browser, url);
    const link = page.getByRole('link', { name: 'report' });
    await link.waitFor();
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['Control'] })]);
    await opened.getByText('Fencing token').waitFor();
    await page.close();
    await opened.reload();
    await opened.getByText('Fencing token').waitFor();
    await opened.close();
    const alone = await bench.browser.contexts()[0]!.newPage();
    await alone.goto(`${origin()}/ui/`);
    await alone.getByText(WITHOUT_KEY).waitFor();
  });

  test('tells a tab without the key, or with that of another run, to open the address, and accepts it there', async () => {
    const { page } = await visit(bench.browser, `${origin()}/ui/#/leases/default/report`);
    await page.getByText(WITHOUT_KEY).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(url.replace(key(), 'another'));
    await page.getByText(WITHOUT_KEY).waitFor();
    await page.goto(url);
    await report(page).waitFor();
    await command.end('SIGTERM');
    const before = key();
    [command, url] = await start(Number(new URL(url).port));
    expect(key()).not.toBe(before);
    await page.getByText(WITHOUT_KEY).waitFor();
    await page.goto(url);
    await report(page).waitFor();
  });

  test('gives pages at another port of this computer nothing: no cookie, no answer, no storage, no window', async () => {
    const { page } = await visit(bench.browser, url);
    await report(page).waitFor();
    const got: IncomingHttpHeaders[] = [];
    // A program of somebody else, which notes what browsers send.
    await using other = await startAnswering((_, { headers }, response) => {
      got.push(headers);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>stranger</title>');
    });
    const stranger = await page.context().newPage();
    await stranger.goto(other.url);
    expect(got.map(({ cookie, referer }) => [cookie, referer])).toEqual(got.map(() => [undefined, undefined]));
    const tries = await stranger.evaluate(
      async ([target, path]) => {
        const read = (init: RequestInit) =>
          fetch(`${target}${path}`, init).then(
            async (answer) => [answer.type, answer.status, await answer.text()],
            () => ['error', 0, ''],
          );
        const heard: unknown[] = [];
        const channel = new BroadcastChannel('coordination-apiserver-ui-key');
        channel.onmessage = ({ data }) => heard.push(data);
        channel.postMessage('asked');
        const opened = window.open(`${target}/ui/`);
        const frame = document.createElement('iframe');
        frame.src = `${target}/ui/`;
        document.body.append(frame);
        await new Promise((resolve) => (frame.onload = resolve));
        await new Promise((resolve) => setTimeout(resolve, 500));
        let storage: string;
        try {
          storage = String(opened?.sessionStorage.length ?? frame.contentWindow?.sessionStorage.length);
        } catch {
          storage = 'refused';
        }
        return {
          read: await read({ credentials: 'include' }),
          blind: await read({ credentials: 'include', mode: 'no-cors' }),
          guessed: await read({ headers: { 'coordination-ui-key': 'x' } }),
          storage,
          isOpenedClosed: opened?.closed,
          own: sessionStorage.length,
          heard,
        };
      },
      [origin(), LEASES],
    );
    expect(tries).toEqual({
      read: ['error', 0, ''],
      blind: ['opaque', 0, ''],
      guessed: ['error', 0, ''],
      storage: 'refused',
      isOpenedClosed: true,
      own: 0,
      heard: [],
    });
  });
});

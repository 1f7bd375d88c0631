import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { ServerRun } from '../../../test/e2e/lifecycle/server-run.js';
import { eventually } from '../../../test/support/eventually.js';
import { type ServerProcess, startServerProcess } from '../../../test/support/server-process.js';
import { violations } from './axe.js';
import { startBrowser, visit } from './browser.js';
import { leaseOf, leases } from './lease-objects.js';
import { send } from './leases.js';

const LEASES = '/apis/coordination.k8s.io/v1/leases';
const WITHOUT_KEY = 'This page is only for the user who started';

/** A program of somebody else at another port of this computer; it notes what browsers send. */
async function startStranger(): Promise<{ server: Server; origin: string; got: IncomingHttpHeaders[] }> {
  const got: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    got.push(headers);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>stranger</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

describeWith([CHROMIUM], 'coordination-apiserver ui in Chromium', () => {
  let server: ServerProcess;
  let browser: Browser;
  let command: ServerRun;
  let url: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServerProcess(), startBrowser()]);
    await send(server.url, leases('default'), 'POST', leaseOf('report'));
  });
  beforeEach(async () => {
    [command, url] = await start(0);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await command.end('SIGTERM');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function start(port: number): Promise<[ServerRun, string]> {
    const run = new ServerRun(['ui', '--port', String(port), '--data-dir', server.dataDir]);
    return [
      run,
      await eventually(
        () => /http:\/\/\S+/.exec(run.stdout)?.[0],
        () => run.stderr,
      ),
    ];
  }

  const row = (page: Page) => page.getByRole('row').filter({ hasText: 'report' });
  const origin = () => new URL(url).origin;
  const key = () => new URL(url).hash.slice('#key='.length);

  test('keeps the key of the address for the tab, and shows it nowhere', async () => {
    const { page, complaints } = await visit(browser, url);
    await row(page).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await row(page).waitFor();
    await row(page).click();
    await page.getByText('Fencing token').waitFor();
    await page.goBack();
    await row(page).waitFor();
    expect(page.url()).not.toContain('key');
    expect(await page.content()).not.toContain(key());
    expect(complaints).toEqual([]);
  });

  test('follows changes with the key', async () => {
    const { page } = await visit(browser, url);
    await row(page).waitFor();
    await send(server.url, leases('default'), 'POST', leaseOf('later'));
    await page.getByRole('row').filter({ hasText: 'later' }).waitFor();
  });

  test('gives the key to tabs that its links open, as long as a tab has it', async () => {
    const { page } = await visit(browser, url);
    const link = page.getByRole('link', { name: 'report' });
    await link.waitFor();
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['Control'] })]);
    await opened.getByText('Fencing token').waitFor();
    await page.close();
    await opened.reload();
    await opened.getByText('Fencing token').waitFor();
    await opened.close();
    const alone = await browser.contexts()[0]!.newPage();
    await alone.goto(`${origin()}/ui/`);
    await alone.getByText(WITHOUT_KEY).waitFor();
  });

  test('tells a tab without the key, or with that of another run, to open the address, and accepts it there', async () => {
    const { page } = await visit(browser, `${origin()}/ui/#/leases/default/report`);
    await page.getByText(WITHOUT_KEY).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(url.replace(key(), 'another'));
    await page.getByText(WITHOUT_KEY).waitFor();
    await page.goto(url);
    await row(page).waitFor();
    await command.end('SIGTERM');
    const before = key();
    [command, url] = await start(Number(new URL(url).port));
    expect(key()).not.toBe(before);
    await page.getByText(WITHOUT_KEY).waitFor();
    await page.goto(url);
    await row(page).waitFor();
  });

  test('gives pages at another port of this computer nothing: no cookie, no answer, no storage, no window', async () => {
    const { page } = await visit(browser, url);
    await row(page).waitFor();
    const { server: theirs, origin: other, got } = await startStranger();
    const stranger = await page.context().newPage();
    await stranger.goto(other);
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
    theirs.closeAllConnections();
    theirs.close();
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

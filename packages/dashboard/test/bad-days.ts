import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { DatabaseProxy } from '../../../test/integration/storage/database-proxy.js';
import { ServerRun } from '../../../test/e2e/lifecycle/server-run.js';
import { eventually } from '../../../test/support/eventually.js';
import { ask } from '../../../test/support/http-client.js';
import { kubeconfig } from '../../../test/support/kubeconfig.js';
import { grant } from '../../../test/support/rights.js';
import { type ServerProcess, startServerProcess } from '../../../test/support/server-process.js';
import { TcpLink } from '../../../test/support/tcp-link.js';
import { type TestDatabase, createTestDatabase } from '../../../test/support/test-database.js';
import { startBrowser, enterToken, visit } from './browser.js';
import { SETTINGS } from './dashboard-bench.js';
import { leaseOf, leases, microTime } from './lease-objects.js';

/** How users come to the page: from the server itself, or from the command on their computer. */
export const WAYS = ['/ui/', 'coordination-apiserver ui'] as const;
export type Way = (typeof WAYS)[number];

export interface Day {
  readonly page: Page;
  /** Whether the page has shown the lease as late or expired since it was opened. */
  readonly showedExpiry: () => Promise<boolean>;
  /** What the browser's console has in red. */
  readonly red: string[];
}

/** A server behind a line, with its database behind another; the page asks it as a service account that reads leases. */
export class BadDayBench implements AsyncDisposable {
  private constructor(
    readonly database: TestDatabase,
    readonly toDatabase: DatabaseProxy,
    public server: ServerProcess,
    readonly line: TcpLink,
    readonly browser: Browser,
  ) {}

  static async start(): Promise<BadDayBench> {
    const database = await createTestDatabase();
    const toDatabase = await DatabaseProxy.start(database.url);
    const server = await startServerProcess({ ...SETTINGS, databaseUrl: toDatabase.url(database.url) });
    return new BadDayBench(database, toDatabase, server, await TcpLink.to(server.port), await startBrowser());
  }

  /** A token of a new service account that may read leases. */
  async makeReader(name: string): Promise<string> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await this.send(accounts, 'POST', { metadata: { name } });
    await grant(this.server.url, `system:serviceaccount:default:${name}`, [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
    ]);
    const { status } = JSON.parse((await this.send(`${accounts}/${name}/token`, 'POST', { spec: {} })).text) as {
      status: { token: string };
    };
    return status.token;
  }

  /** Sent as admin, past the line. */
  async send(to: string, method: string, body: object = {}): Promise<{ readonly text: string }> {
    const headers: Record<string, string> = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const { status, text } = await ask(`${this.server.url}${to}`, { method, body, headers });
    if (status >= 300) throw new Error(`${method} ${to}: ${status} ${text}`);
    return { text };
  }

  async createLease(name: string, leaseDurationSeconds: number): Promise<void> {
    await this.send(leases('default'), 'POST', leaseOf(name, { leaseDurationSeconds }));
  }

  async renew(name: string): Promise<void> {
    await this.send(leases('default', name), 'PATCH', { spec: { renewTime: microTime() } });
  }

  /** The page with all leases, as it is opened in this way; it watches what is shown of one. */
  async open(way: Way, token: string, lease = ''): Promise<Day> {
    const address = `https://127.0.0.1:${this.line.port}`;
    const url = way === '/ui/' ? `${address}/ui/` : await startUi(address, token);
    const { page } = await visit(this.browser, url);
    const red: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && red.push(message.text())));
    if (way === '/ui/') await enterToken(page, token);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(`new MutationObserver(() => {
      const link = document.querySelector('a[title="default/${lease}"]');
      globalThis.showedExpiry ||= Boolean(link?.closest('.row').querySelector('.badge.state-expired, .badge.state-due'));
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
    return { page, showedExpiry: async () => (await page.evaluate('globalThis.showedExpiry')) === true, red };
  }

  /** Ends the server without a word, and starts it again on its port. */
  async restart(): Promise<void> {
    const { port, dataDir, databaseUrl } = this.server;
    this.server = await startServerProcess({ ...SETTINGS, port, dataDir, databaseUrl });
  }

  /** Ends what a test has done. */
  async comeToRest(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
    this.line.heal();
    this.line.resetAll();
    this.toDatabase.mute = false;
    this.toDatabase.open();
    await eventually(async () => (await ask(`${this.server.url}${leases('default')}`, { method: 'DELETE', body: {} })).status === 200);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.line.close();
    await this.server.stop();
    await this.toDatabase.close();
    await this.database.drop();
  }
}

/** Starts the command with a kubeconfig; resolves with the address that it prints. It ends with the test. */
async function startUi(server: string, token: string): Promise<string> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'coordination-ui-')), 'kubeconfig');
  await writeFile(file, kubeconfig({ server, 'insecure-skip-tls-verify': true }, { token }), { mode: 0o600 });
  const run = new ServerRun(['ui', `--kubeconfig=${file}`]);
  return eventually(
    () => /http:\/\/\S+/.exec(run.stdout)?.[0],
    () => run.stderr,
  );
}

import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEachTest, forAllTests } from '../../../test/support/for-tests.js';
import { ask } from '../../../test/support/http-client.js';
import { grant } from '../../../test/support/rights.js';
import { type ServerProcess, type ServerProcessOptions, startServerProcess } from '../../../test/support/server-process.js';
import { signIn, startBrowser, type Visit, visit } from './browser.js';
import { leaseOf, leases } from './lease-objects.js';

/** Of the admin, and of a user without any rights. */
export const SETTINGS = {
  tokens: ['admin-token,admin,admin,"system:masters"', 'viewer-token,viewer,viewer,viewers'],
  flags: ['--authorization-mode=RBAC'],
};

/** A browser with a bench for the tests of a file or block. The pages of each test are closed after it. */
export function benchForAllTests(settings: () => ServerProcessOptions): DashboardBench {
  const bench = forAllTests(() => DashboardBench.start(settings()));
  afterEachTest(() => bench.closePages());
  return bench;
}

/** A server with its dashboard in a browser. */
class DashboardBench implements AsyncDisposable {
  server: ServerProcess;
  readonly browser: Browser;

  private constructor(server: ServerProcess, browser: Browser) {
    this.server = server;
    this.browser = browser;
  }

  static async start(settings: ServerProcessOptions): Promise<DashboardBench> {
    const [server, browser] = await Promise.all([startServerProcess(settings), startBrowser()]);
    return new DashboardBench(server, browser);
  }

  address(hash = ''): string {
    return `${this.server.url}/ui/${hash}`;
  }

  visit(hash?: string, options?: BrowserContextOptions): Promise<Visit> {
    return visit(this.browser, this.address(hash), options);
  }

  signIn(hash?: string, token = 'admin-token', options?: BrowserContextOptions): Promise<Visit> {
    return signIn(this.browser, this.address(hash), token, options);
  }

  /** Sent as admin. */
  async send(path: string, method: string, body: object = {}): Promise<void> {
    const headers: Record<string, string> = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const { status, text } = await ask(`${this.server.url}${path}`, { method, body, headers });
    expect([status < 300, path, text.slice(0, 300)]).toEqual([true, path, text.slice(0, 300)]);
  }

  async createNamespaces(...names: string[]): Promise<void> {
    for (const name of names) await this.send('/api/v1/namespaces', 'POST', { metadata: { name } });
  }

  /** What is left out is as in `leaseOf`. */
  async createLease(namespace: string, name: string, spec?: object, metadata?: object): Promise<void> {
    await this.send(leases(namespace), 'POST', leaseOf(name, spec, metadata));
  }

  async changeLease(namespace: string, name: string, spec: object): Promise<void> {
    await this.send(leases(namespace, name), 'PATCH', { spec });
  }

  /** The spec of a lease as stored by the server. */
  async specOf(namespace: string, name: string): Promise<Record<string, unknown>> {
    const { text } = await ask(`${this.server.url}${leases(namespace, name)}`);
    return (JSON.parse(text) as { spec: Record<string, unknown> }).spec;
  }

  /** Lets a user read leases and nothing else, in one namespace or in all. */
  async letReadLeases(user: string, namespace?: string): Promise<void> {
    const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] }];
    await grant(this.server.url, user, rules, namespace);
  }

  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}

/** The row of a table that has this text. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** The fact with this name in the overview of a lease. */
export const fact = (page: Page, name: string) => page.locator('.facts > div').filter({ has: page.getByText(name, { exact: true }) });

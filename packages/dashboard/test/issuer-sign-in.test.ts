import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../../../test/clients/toolchain.js';
import { afterEachTest, forAllTests } from '../../../test/support/for-tests.js';
import { startOidcIssuer } from '../../../test/support/oidc-issuer.js';
import { scratchDirectory } from '../../../test/support/scratch-directory.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { violations } from './axe.js';
import { enterToken, TOKEN, visit } from './browser.js';
import { benchForAllTests, row } from './dashboard-bench.js';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e';

describeWith([CHROMIUM], 'signing in to the dashboard at an issuer', () => {
  const scratch = scratchDirectory();
  const issuer = forAllTests(() => startOidcIssuer());
  const bench = benchForAllTests(() => {
    const authority = path.join(scratch, 'issuer.pem');
    writeFileSync(authority, issuer.authority);
    const flags = [
      '--authorization-mode=RBAC',
      `--oidc-issuer-url=${issuer.url}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${authority}`,
      '--oidc-username-prefix=oidc:',
      '--ui-oidc-client-id=cluster',
      '--ui-oidc-scopes=email,groups',
    ];
    return { flags };
  });
  beforeAll(async () => {
    await bench.createNamespaces('jobs');
    await bench.createLease('jobs', 'report');
    await bench.letReadLeases('oidc:ann');
  });
  afterEachTest(() => (issuer.codeFlow.faults = {}));
  const button = (page: Page) => page.getByRole('button', { name: `Sign in with ${new URL(issuer.url).host}` });
  const kept = (page: Page) => page.evaluate('[sessionStorage.length, localStorage.length]');

  /** Goes to the issuer and back. */
  async function signInThere(hash?: string) {
    const visited = await bench.visit(hash);
    await button(visited.page).click();
    await visited.page.getByRole('link', { name: 'Continue as ann' }).click();
    return visited;
  }

  /** The alert at the sign-in; nothing of the sign-in is left. */
  async function refusal(page: Page): Promise<string | null> {
    const text = await page.getByRole('alert').textContent();
    await page.locator(TOKEN).waitFor();
    expect([page.url(), await kept(page)]).toEqual([bench.address(), [0, 0]]);
    return text;
  }

  test('leads to the issuer and back to the same place, as the user whom the issuer names, for this tab only', async () => {
    const { page, complaints } = await signInThere('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    await page.getByText('oidc:ann').waitFor();
    expect([page.url(), await kept(page)]).toEqual([bench.address('#/leases?ns=jobs'), [1, 0]]);
    await page.reload();
    await row(page, 'report').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await button(page).waitFor();
    expect(await kept(page)).toEqual([0, 0]);
    expect(complaints).toEqual([]);
  });

  test('asks the issuer for a code with PKCE, a state, a nonce and the configured scopes', async () => {
    const { page } = await bench.visit();
    await button(page).click();
    await page.getByRole('link', { name: 'Continue as ann' }).waitFor();
    const query = Object.fromEntries(new URL(page.url()).searchParams);
    const random = expect.stringMatching(/^[\w-]{43}$/);
    expect(query).toEqual({
      tenant: 'test',
      response_type: 'code',
      client_id: 'cluster',
      redirect_uri: bench.address(),
      scope: 'openid email groups',
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: 'S256',
    });
  });

  test('lets the page connect to the token endpoint and nothing else', async () => {
    const policy = (await fetchHeaders(bench.browser, bench.address()))['content-security-policy'];
    expect(policy).toContain(`; connect-src 'self' ${issuer.url}/token;`);
    const { page, complaints } = await bench.visit();
    const reached = await page.evaluate(
      (url) =>
        fetch(url, { mode: 'no-cors' }).then(
          () => true,
          () => false,
        ),
      `${issuer.url}/keys`,
    );
    expect([reached, complaints.join()]).toEqual([false, expect.stringContaining(`"connect-src 'self' ${issuer.url}/token"`)]);
  });

  test('refuses a wrong state, and does not redeem its code', async () => {
    const redeemed = issuer.codeFlow.outcomes.length;
    issuer.codeFlow.faults = { answer: { state: 'wrong' } };
    const { page } = await signInThere();
    expect(await refusal(page)).toContain('a sign-in that it did not begin');
    expect(issuer.codeFlow.outcomes).toHaveLength(redeemed);
  });

  test('refuses an ID token with a wrong nonce', async () => {
    issuer.codeFlow.faults = { claims: { nonce: 'wrong' } };
    const { page } = await signInThere();
    expect(await refusal(page)).toContain('an ID token of another sign-in');
  });

  test('ignores a link that looks like an answer', async () => {
    const { page } = await visit(bench.browser, `${bench.address()}?error=x&error_description=Call+us&state=x`);
    expect(await refusal(page)).toBe('This tab has received the answer to a sign-in that it did not begin. Try again.');
  });

  test("shows the issuer's refusal as plain text", async () => {
    issuer.codeFlow.faults = { answer: { code: '', error: 'access_denied', error_description: HOSTILE } };
    const { page, complaints } = await signInThere();
    expect(await refusal(page)).toBe('The sign-in was refused: <img src=x onerror=alert(1)>\\u{202e} (access_denied)');
    expect([await page.locator('img').count(), complaints]).toEqual([0, []]);
  });

  test('says that the issuer must allow requests of the page', async () => {
    issuer.codeFlow.faults = { allowedOrigin: 'https://elsewhere.example' };
    const { page } = await signInThere();
    expect(await refusal(page)).toContain(`It must allow requests from ${bench.server.url} (CORS).`);
  });

  test('says when the token has expired, and offers to sign in again', async () => {
    issuer.codeFlow.faults = { claims: { exp: Math.floor(Date.now() / 1000) + 15 } };
    const { page } = await signInThere('#/leases?ns=jobs');
    await row(page, 'report').waitFor();
    await page.getByText('Your token has expired. Sign in again.').waitFor();
    expect(await kept(page)).toEqual([0, 0]);
    issuer.codeFlow.faults = {};
    await button(page).click();
    await page.getByRole('link', { name: 'Continue as ann' }).click();
    await row(page, 'report').waitFor();
  });

  test('says that the server cannot reach the issuer, and lets users sign in with a token', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const other = await startServerProcess({
      flags: [`--oidc-issuer-url=${url}`, '--oidc-client-id=cluster', '--ui-oidc-client-id=cluster'],
    });
    try {
      const { page } = await visit(bench.browser, `${other.url}/ui/`);
      await page.getByText(`The server cannot reach ${new URL(url).host}, where users sign in.`).waitFor();
      await page.reload();
      await enterToken(page);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect(other.output().split('cannot reach the issuer; the dashboard offers no sign-in there')).toHaveLength(2);
    } finally {
      await other.stop();
      silent.close();
    }
  });

  test('leaves the sign-in with a token as it was', async () => {
    const { page } = await bench.visit();
    await enterToken(page);
    await row(page, 'report').waitFor();
  });

  test('is free of axe violations and fits a phone, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await bench.visit('', { colorScheme, viewport: { width: 390, height: 844 } });
      await button(page).waitFor();
      expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    }
  });
});

async function fetchHeaders(browser: Browser, url: string): Promise<Record<string, string>> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  return (await context.request.get(url)).headers();
}

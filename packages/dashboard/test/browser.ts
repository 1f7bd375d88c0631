import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

/** The input field of the sign-in. */
export const TOKEN = 'input[name="token"]';

interface BrowserOptions {
  /** Whether scrollbars take space, as on most desktops; Playwright hides them otherwise. */
  readonly scrollbars?: boolean;
  /** Whether to start the whole browser, as users have it, for measurements. Debian's chromium-headless-shell takes half its processor time. */
  readonly whole?: boolean;
}

/** The Chromium of this machine. As root it runs without its sandbox: it loads only pages of this repository. */
export function startBrowser({ scrollbars = false, whole = false }: BrowserOptions = {}): Promise<Browser> {
  const find = `${whole ? '' : 'command -v chromium-headless-shell || '}command -v chromium`;
  const executablePath = spawnSync('sh', ['-c', find], { encoding: 'utf8' }).stdout.trim();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, ignoreDefaultArgs: scrollbars ? ['--hide-scrollbars'] : [] });
}

export interface Visit {
  readonly page: Page;
  /** The page's errors, including violations of its content security policy. */
  readonly complaints: string[];
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser itself logs every failed response, even if the page expects it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, complaints };
}

/** Like `visit`, and signs in. */
export async function signIn(browser: Browser, url: string, token: string, options?: BrowserContextOptions): Promise<Visit> {
  const visited = await visit(browser, url, options);
  await visited.page.locator(TOKEN).fill(token);
  await visited.page.getByRole('button', { name: 'Sign in' }).click();
  return visited;
}

/** Signs in at a page that asks for it, by keyboard. */
export async function enterToken(page: Page, token = 'admin-token'): Promise<void> {
  await page.locator(TOKEN).fill(token);
  await page.keyboard.press('Enter');
}
